/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Views;
import io.github.spd4j.train.images.ImagesRecordReader;
import java.util.List;
import org.deeplearning4j.datasets.datavec.RecordReaderDataSetIterator;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.evaluation.classification.Evaluation;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.dataset.api.iterator.DataSetIterator;
import org.nd4j.linalg.learning.config.Adam;

/** A plain network of Deeplearning4j on the data sets, by the paper's protocol. */
@Tag("once")
class ProtocolWithoutTrainerTest {

  private static final int SIZE = 16;

  @ParameterizedTest
  @EnumSource
  void anyNetworkTrainsOnAPartition(DataSetKind kind) {
    ImageDataSet set = ImageCheck.of(kind.read(Fixtures.of(kind)), done -> {}).sound();
    Partition partition = kind.partitions(set, 1, 0.3).get(0);
    DataSetIterator training = iterator(partition, partition.training(), Views.FIVE_CROPS);
    MultiLayerNetwork network = network(partition.classes().size());
    network.fit(training);
    double before = network.score();
    network.fit(training, 15);
    assertThat(network.score()).isLessThan(before);
    Evaluation test = network.evaluate(iterator(partition, partition.test(), Views.PLAIN));
    assertThat(test.getNumRowCounter()).isEqualTo(partition.test().size());
    assertThat(test.getLabelsList()).isEqualTo(partition.classes());
  }

  private static DataSetIterator iterator(Partition partition, List<ImageFile> part, Views views) {
    int classes = partition.classes().size();
    FileImages images = new FileImages(part, classes, views, SIZE, PixelFormat.CAFFE, 1);
    ImagesRecordReader reader = new ImagesRecordReader(images, partition.classes());
    return new RecordReaderDataSetIterator(reader, 64, 1, classes);
  }

  private static MultiLayerNetwork network(int classes) {
    MultiLayerNetwork network =
        new MultiLayerNetwork(
            new NeuralNetConfiguration.Builder()
                .seed(1)
                .updater(new Adam(0.003))
                .list()
                .layer(
                    new ConvolutionLayer.Builder(3, 3).nOut(4).activation(Activation.RELU).build())
                .layer(new GlobalPoolingLayer())
                .layer(new OutputLayer.Builder().nOut(classes).build())
                .setInputType(InputType.convolutional(SIZE, SIZE, 3))
                .build());
    network.init();
    return network;
  }
}
