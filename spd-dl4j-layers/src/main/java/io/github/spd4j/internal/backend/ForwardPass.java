/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend;

import java.util.HashMap;
import java.util.Map;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * What a forward pass keeps for the backward pass, in memory that the next batch uses again.
 *
 * <p>One belongs to each runtime layer. For one thread at a time.
 */
public final class ForwardPass {

  private final Scratch scratch;
  private final Map<String, INDArray> values = new HashMap<>();
  private final Map<String, Double> numbers = new HashMap<>();

  private INDArray input;
  private INDArray mask;
  private Map<String, INDArray> params = Map.of();
  private boolean training;
  private boolean inference;

  /** Nothing saved yet. */
  public ForwardPass() {
    this(new Scratch());
  }

  /**
   * Nothing saved yet.
   *
   * @param scratch memory for the passes
   */
  public ForwardPass(Scratch scratch) {
    this.scratch = scratch;
  }

  /**
   * Begins a forward pass: what was saved before is forgotten.
   *
   * @param input the layer's input
   * @param params the parameters by name
   * @param training whether there will be a backward pass
   */
  public void begin(INDArray input, Map<String, INDArray> params, boolean training) {
    begin(input, null, params, training, !training);
  }

  /**
   * Begins a forward pass: what was saved before is forgotten.
   *
   * @param input the layer's input
   * @param mask 1 for each pixel of the input that counts, 0 elsewhere [N, 1, H, W], where the
   *     input is 0, too; null if all count
   * @param params the parameters by name
   * @param training whether there will be a backward pass
   * @param inference whether the layer computes as it does when the network is used
   */
  public void begin(
      INDArray input,
      INDArray mask,
      Map<String, INDArray> params,
      boolean training,
      boolean inference) {
    end();
    this.input = input;
    this.mask = mask;
    this.params = params;
    this.training = training;
    this.inference = inference;
  }

  /** Forgets what was saved; the memory stays for the next batch. */
  public void end() {
    input = null;
    mask = null;
    params = Map.of();
    values.clear();
    numbers.clear();
  }

  /**
   * Whether this is what the forward pass of an input kept.
   *
   * @param ofInput the input
   * @return false if the forward pass has to be run (again)
   */
  public boolean isOf(INDArray ofInput) {
    return training && input == ofInput;
  }

  /**
   * The layer's input.
   *
   * @return the input
   */
  public INDArray input() {
    return input;
  }

  /**
   * Which pixels of the input count.
   *
   * @return 1 for each that does, 0 elsewhere [N, 1, H, W]; null if all do
   */
  public INDArray mask() {
    return mask;
  }

  /**
   * A parameter as the forward pass saw it.
   *
   * @param name its name
   * @return the parameter
   */
  public INDArray param(String name) {
    return params.get(name);
  }

  /**
   * The parameters as the forward pass saw them.
   *
   * @return parameters by name
   */
  public Map<String, INDArray> params() {
    return params;
  }

  /**
   * Whether there will be a backward pass.
   *
   * @return false if nothing needs to be kept
   */
  public boolean isTraining() {
    return training;
  }

  /**
   * Whether the layer computes as it does when the network is used: with running statistics, not
   * with those of the batch. A frozen layer does so although there is a backward pass.
   *
   * @return true if so
   */
  public boolean isInference() {
    return inference;
  }

  /**
   * Memory for the passes. It is that of {@link #keep}, too: a name that is kept is taken.
   *
   * @return arrays by name
   */
  public Scratch scratch() {
    return scratch;
  }

  /**
   * An uninitialised array to be kept.
   *
   * @param type its type
   * @param name its name
   * @param shape its shape
   * @return the array, row by row
   */
  public INDArray keep(DataType type, String name, long... shape) {
    INDArray array = scratch.array(type, name, shape);
    values.put(name, array);
    return array;
  }

  /**
   * Keeps a value.
   *
   * @param name its name
   * @param value the value
   * @return the value
   */
  public INDArray keep(String name, INDArray value) {
    values.put(name, value);
    return value;
  }

  /**
   * Keeps a number.
   *
   * @param name its name
   * @param number the number
   * @return the number
   */
  public double keep(String name, double number) {
    numbers.put(name, number);
    return number;
  }

  /**
   * What was kept under a name.
   *
   * @param name the name
   * @return the array, or null if there is none
   */
  public INDArray get(String name) {
    return values.get(name);
  }

  /**
   * The number that was kept under a name.
   *
   * @param name the name
   * @return the number
   */
  public double number(String name) {
    return numbers.get(name);
  }

  /**
   * The values that were kept.
   *
   * @return values by name
   */
  public Map<String, INDArray> values() {
    return values;
  }
}
