/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Training on Apache Spark with DL4J's own means: {@link io.github.spd4j.spark.SparkEngine}
 * computes features and makes the steps of a {@link io.github.spd4j.train.TwoStageTrainer} on the
 * executors of a {@link io.github.spd4j.spark.SparkCluster}.
 *
 * <p>The workers share each batch. Either the driver makes the step with the sum of their
 * gradients, or they make steps of their own and SparkComputationGraph averages their parameters;
 * what is added to that is what it cannot know, that W lives on a manifold. Plans, guards and
 * checkpoints stay those of the trainer, on the driver.
 *
 * @serial exclude
 */
package io.github.spd4j.spark;
