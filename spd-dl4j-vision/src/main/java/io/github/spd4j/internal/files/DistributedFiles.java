/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.files;

import java.nio.file.Path;
import java.util.Optional;

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
}
