/**
 * Networks as ONNX graphs: {@link io.github.spd4j.internal.onnx.OnnxWriter} translates one, {@code
 * Layers}, {@code Vertices}, {@code PreProcessors} and {@code Activations} are the tables of what
 * DL4J has, {@code Operators} that of the operations in definitions of our own layers. {@code
 * OnnxGraph} collects nodes, {@code Message} writes bytes. No DL4J network is changed here.
 *
 * <p>Files of others: {@link io.github.spd4j.internal.onnx.CheckedGraph} reads one and refuses what
 * is not safe, {@link io.github.spd4j.internal.onnx.OnnxSession} computes with ONNX Runtime, which
 * no other class knows.
 */
package io.github.spd4j.internal.onnx;
