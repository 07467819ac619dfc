/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

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

/** Writes arrays into an HDF5 file, in groups, as Keras does. */
final class KerasFile implements AutoCloseable {

  private final H5File file;

  KerasFile(Path path) {
    file = new H5File(path.toString(), H5F_ACC_TRUNC());
  }

  /** Writes an array in row-major order, and the groups that lead to it unless they are there. */
  void write(float[] values, long[] shape, String... path) {
    write(file, values, shape, path);
  }

  /** Everything is closed again: while anything is open, HDF5 reads the file from its memory. */
  private static void write(Group group, float[] values, long[] shape, String... path) {
    if (path.length == 1) {
      DataType type = new DataType(PredType.NATIVE_FLOAT());
      DataSpace space = new DataSpace(shape.length, shape);
      DataSet dataSet = group.createDataSet(path[0], type, space);
      dataSet.write(new FloatPointer(values), type);
      dataSet.deallocate();
      space.deallocate();
      return;
    }
    Group inner = group.nameExists(path[0]) ? group.openGroup(path[0]) : group.createGroup(path[0]);
    write(inner, values, shape, Arrays.copyOfRange(path, 1, path.length));
    inner.deallocate();
  }

  @Override
  public void close() {
    file.deallocate();
  }
}
