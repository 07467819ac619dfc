/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import static org.bytedeco.hdf5.global.hdf5.H5F_ACC_TRUNC;

import java.nio.file.Path;
import java.util.Arrays;
import org.bytedeco.hdf5.DataSet;
import org.bytedeco.hdf5.DataSpace;
import org.bytedeco.hdf5.DataType;
import org.bytedeco.hdf5.Group;
import org.bytedeco.hdf5.H5File;
import org.bytedeco.hdf5.PredType;
import org.bytedeco.javacpp.FloatPointer;

/**
 * Writes arrays into an HDF5 file, in groups, as Keras does.
 *
 * <p>Whatever is opened is closed at once, by the thread that opened it. While anything is open,
 * HDF5 reads the file from its memory; and what is left to Java's garbage is closed by a thread of
 * JavaCPP's while ours is in HDF5, which knows only one thread: the process then ends, now and
 * then.
 */
final class KerasFile implements AutoCloseable {

  private final H5File file;

  KerasFile(Path path) {
    file = new H5File(path.toString(), H5F_ACC_TRUNC());
  }

  /** Writes an array in row-major order, and the groups that lead to it unless they are there. */
  void write(float[] values, long[] shape, String... path) {
    write(file, values, shape, path);
  }

  private static void write(Group group, float[] values, long[] shape, String... path) {
    if (path.length == 1) {
      try (DataType type = new DataType(PredType.NATIVE_FLOAT());
          DataSpace space = new DataSpace(shape.length, shape);
          DataSet dataSet = group.createDataSet(path[0], type, space)) {
        dataSet.write(new FloatPointer(values), type);
      }
      return;
    }
    try (Group inner =
        group.nameExists(path[0]) ? group.openGroup(path[0]) : group.createGroup(path[0])) {
      write(inner, values, shape, Arrays.copyOfRange(path, 1, path.length));
    }
  }

  @Override
  public void close() {
    file.deallocate();
  }
}
