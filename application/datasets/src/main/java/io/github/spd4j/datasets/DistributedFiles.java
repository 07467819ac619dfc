/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * Files that a cluster has copied to each of its machines, each into a folder of its own. A service
 * says which folder it is on this machine; without one, all machines see files at the same path.
 */
public interface DistributedFiles {

  /**
   * The folder of copies in this process.
   *
   * @return the folder, or nothing if there are no copies
   */
  Optional<Path> folder();

  /** A path as it is sent to another machine: relative if the file was copied there. */
  static String toSend(Path path) {
    return folderHere()
        .filter(path::startsWith)
        .map(folder -> folder.relativize(path))
        .orElseGet(path::toAbsolutePath)
        .toString();
  }

  /** The path on this machine of a file that another machine has sent. */
  static Path received(String path) {
    return folderHere().orElse(Path.of("")).resolve(path);
  }

  private static Optional<Path> folderHere() {
    return Services.ALL.stream().flatMap(service -> service.folder().stream()).findFirst();
  }

  /** Looked up once: a data set has thousands of files. */
  final class Services {
    private static final List<DistributedFiles> ALL =
        ServiceLoader.load(DistributedFiles.class, DistributedFiles.class.getClassLoader()).stream()
            .map(ServiceLoader.Provider::get)
            .toList();

    private Services() {}
  }
}
