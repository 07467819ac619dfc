/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.github.spd4j.backbones.Vgg16;
import io.github.spd4j.images.Views;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.predictions.ImageClassifier;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.activations.Activation;

class ServingTest {

  private static final int SIZE = 32;

  @TempDir Path folder;
  private HttpServer server;

  @BeforeEach
  void start() throws Exception {
    ComputationGraph net =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
                .seed(1)
                .graphBuilder()
                .addInputs("image")
                .setInputTypes(InputType.convolutional(SIZE, SIZE, 3))
                .addLayer(
                    "out",
                    new OutputLayer.Builder().nOut(2).activation(Activation.SOFTMAX).build(),
                    "image")
                .setOutputs("out")
                .build());
    net.init();
    net.params().assign(0);
    net.getLayer("out")
        .getParam("b")
        .putScalar(1, Math.log(3)); // stone is thrice as likely as leaf
    Path model = folder.resolve("model.zip");
    ModelCard card = ModelCard.of(List.of("leaf", "stone"), SIZE, Views.PLAIN, Vgg16.PIXELS);
    ImageClassifier.save(net, card, model);
    server = Serving.start(model, 0);
  }

  @AfterEach
  void stop() {
    server.stop(0);
    ((ExecutorService) server.getExecutor()).shutdown();
  }

  @Test
  void answersAPicture() throws Exception {
    Path root = Path.of(System.getProperty("spd4j.root"));
    Path picture = root.resolve("src-test-resources/datasets/folders/leaf/1.png");
    HttpResponse<String> answer = post(BodyPublishers.ofFile(picture));
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("stone 75.0 %\n");
  }

  @Test
  void refusesWhatIsNoPicture() throws Exception {
    assertThat(post(BodyPublishers.ofString("no picture")).statusCode()).isEqualTo(400);
    assertThat(post(BodyPublishers.ofByteArray(new byte[20_000_001])).statusCode()).isEqualTo(413);
  }

  private HttpResponse<String> post(BodyPublisher body) throws Exception {
    URI uri = URI.create("http://localhost:" + server.getAddress().getPort());
    HttpRequest request = HttpRequest.newBuilder(uri).POST(body).build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
  }
}
