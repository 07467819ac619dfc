/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments.spark;

import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.apache.hadoop.fs.FileStatus;

/** What Hadoop knows about a file. */
final class HadoopAttributes implements BasicFileAttributes {

  private final FileStatus status;

  HadoopAttributes(FileStatus status) {
    this.status = status;
  }

  @Override
  public FileTime lastModifiedTime() {
    return FileTime.fromMillis(status.getModificationTime());
  }

  @Override
  public FileTime lastAccessTime() {
    return FileTime.fromMillis(status.getAccessTime());
  }

  @Override
  public FileTime creationTime() {
    return lastModifiedTime();
  }

  @Override
  public boolean isRegularFile() {
    return status.isFile();
  }

  @Override
  public boolean isDirectory() {
    return status.isDirectory();
  }

  @Override
  public boolean isSymbolicLink() {
    return status.isSymlink();
  }

  @Override
  public boolean isOther() {
    return false;
  }

  @Override
  public long size() {
    return status.getLen();
  }

  @Override
  public Object fileKey() {
    return null;
  }
}
