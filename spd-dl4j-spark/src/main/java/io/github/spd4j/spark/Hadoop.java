/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.spark;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Files in any file system that Hadoop knows, on the driver and on executors. */
final class Hadoop implements Serializable {

  private static final long serialVersionUID = 1L;

  private final HashMap<String, String> settings = new HashMap<>();
  private transient Configuration configuration;

  /** The driver's settings, which executors are to use too. */
  Hadoop(Configuration configuration) {
    for (Map.Entry<String, String> entry : configuration) {
      settings.put(entry.getKey(), entry.getValue());
    }
  }

  private synchronized Configuration configuration() {
    if (configuration == null) {
      configuration = new Configuration();
      settings.forEach(configuration::set);
    }
    return configuration;
  }

  FileSystem of(Path path) throws IOException {
    return path.getFileSystem(configuration());
  }

  /** The length of a file, −1 if there is none. */
  long length(Path path) throws IOException {
    try {
      FileStatus status = of(path).getFileStatus(path);
      return status.getLen();
    } catch (FileNotFoundException e) {
      return -1;
    }
  }
}
