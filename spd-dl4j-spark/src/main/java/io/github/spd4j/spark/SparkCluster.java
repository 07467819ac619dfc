/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.spark;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * A connection to Spark, made as DL4J needs it: Java's serialisation, the jars of this program on
 * the executors, one native thread for each of their cores. Settings of {@code spark-submit} and
 * system properties {@code spark.*} have precedence.
 */
public final class SparkCluster implements AutoCloseable {

  /** What keeps OpenBLAS from instructions with which it computes wrongly. */
  private static final String CORE = "OPENBLAS_CORETYPE";

  private static final Pattern LOCAL_CLUSTER =
      Pattern.compile("local-cluster\\[\\s*(\\d+)\\s*,\\s*(\\d+)\\s*,.*]");
  private static final Pattern STANDALONE = Pattern.compile("([^,:/]+):(\\d+)");
  private static final int CONNECT_MILLIS = 5000;

  private final JavaSparkContext spark;

  private SparkCluster(JavaSparkContext spark) {
    this.spark = spark;
  }

  /**
   * Connects, and makes sure that executors can compute.
   *
   * @param master what Spark calls a master: {@code local[2]}, {@code local-cluster[2,1,2048]},
   *     {@code spark://HOST:7077}, {@code yarn} and so on
   * @param name what the cluster is to call the application
   * @return the connection
   * @throws UncheckedIOException if there is no such master, or executors lack classes or native
   *     libraries; the message is one line
   */
  public static SparkCluster connect(String master, String name) {
    requireReachable(Objects.requireNonNull(master, "master"));
    Objects.requireNonNull(name, "name");
    SparkCluster cluster;
    try {
      cluster = new SparkCluster(new JavaSparkContext(conf(master, name)));
    } catch (Exception e) { // Scala throws checked exceptions without saying so
      throw refusal("expected a Spark master that can be used, got " + master, e);
    }
    boolean sound = false;
    try {
      cluster.requireBackend(master);
      sound = true;
      return cluster;
    } finally {
      if (!sound) {
        cluster.close();
      }
    }
  }

  private static UncheckedIOException refusal(String line, Throwable cause) {
    String reason = String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    return new UncheckedIOException(line + " (" + reason + ")", new IOException(reason, cause));
  }

  /** Spark itself tries for minutes, and then stops the program in its own way. */
  private static void requireReachable(String master) {
    if (!master.startsWith("spark://")) {
      return;
    }
    IOException reason = new IOException("expected spark://HOST:PORT");
    Matcher address = STANDALONE.matcher(master.substring("spark://".length()));
    while (address.find()) {
      try (Socket socket = new Socket()) {
        int port = Integer.parseInt(address.group(2));
        socket.connect(new InetSocketAddress(address.group(1), port), CONNECT_MILLIS);
        return;
      } catch (IOException | IllegalArgumentException e) {
        reason = new IOException(e.toString(), e);
      }
    }
    throw refusal("cannot reach the Spark master " + master, reason);
  }

  private static SparkConf conf(String master, String name) {
    Matcher localCluster = LOCAL_CLUSTER.matcher(master);
    if (localCluster.matches()) {
      prepareLocalCluster();
    }
    SparkConf conf =
        new SparkConf()
            .setMaster(master)
            .setIfMissing("spark.app.name", name)
            // Kryo needs a word about every class, and fails on Java's immutable collections.
            .set("spark.serializer", "org.apache.spark.serializer.JavaSerializer")
            .setIfMissing("spark.executorEnv.OMP_NUM_THREADS", "1")
            .setIfMissing("spark.ui.showConsoleProgress", "false");
    String core = System.getenv(CORE);
    if (core != null) {
      conf.setIfMissing("spark.executorEnv." + CORE, core);
    }
    if (localCluster.matches()) {
      int cores = Integer.parseInt(localCluster.group(1)) * Integer.parseInt(localCluster.group(2));
      conf.setIfMissing("spark.executorEnv.SPARK_TESTING", "1")
          .setIfMissing("spark.executorEnv.SPARK_SCALA_VERSION", "2.12")
          .setIfMissing("spark.cores.max", String.valueOf(cores))
          .setIfMissing("spark.scheduler.minRegisteredResourcesRatio", "1.0");
    } else if (!master.startsWith("local") && !conf.contains("spark.jars")) {
      conf.setJars(jars());
    }
    return conf;
  }

  /**
   * Spark starts executors of a local cluster from an installation; without one it has to be told
   * that it is being tested, and then passes the class path on.
   */
  private static void prepareLocalCluster() {
    if (System.getenv("SPARK_HOME") == null && System.getProperty("spark.test.home") == null) {
      try {
        System.setProperty("spark.test.home", Files.createTempDirectory("spark").toString());
        System.setProperty("spark.testing", "true");
      } catch (IOException e) {
        throw new UncheckedIOException("expected a folder for temporary files", e);
      }
    }
  }

  private static String[] jars() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> entry.endsWith(".jar"))
        .toArray(String[]::new);
  }

  private void requireBackend(String master) {
    int tasks = workers();
    List<Integer> one = Collections.nCopies(tasks, 0);
    List<String> problems;
    try {
      problems = spark.parallelize(one, tasks).map(i -> Nd4jCheck.problem()).distinct().collect();
    } catch (Exception e) {
      if (e instanceof SparkException) {
        throw refusal("executors of " + master + " cannot run this program", e);
      }
      throw e;
    }
    for (String problem : problems) {
      if (!problem.isEmpty()) {
        String line = "executors of %s need ND4J's native library for their platform, got %s";
        throw new UncheckedIOException(
            String.format(line, master, problem), new IOException(problem));
      }
    }
  }

  /**
   * How many tasks run at once.
   *
   * @return the cores of all executors, unless spark.default.parallelism says otherwise
   */
  public int workers() {
    return spark.defaultParallelism();
  }

  /**
   * The context, for what is not here.
   *
   * @return the context, which {@link #close} stops
   */
  public JavaSparkContext context() {
    return spark;
  }

  /**
   * An engine with a worker for each task that runs at once.
   *
   * @param folder where parts of features go; see {@link SparkEngine}
   * @return the engine
   */
  public SparkEngine engine(String folder) {
    return new SparkEngine(spark, folder, workers());
  }

  @Override
  public void close() {
    spark.close();
  }
}
