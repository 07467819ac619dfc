/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.serve;

import io.github.spd4j.cli.CommandExtension;
import io.github.spd4j.cli.TrainedModel;
import io.github.spd4j.experiments.UserException;
import io.github.spd4j.internal.images.Png;
import io.github.spd4j.models.Engine;
import io.github.spd4j.predictions.ImageClassifier;
import io.github.spd4j.predictions.PreparedImage;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code spd serve}. */
@Command(
    name = "serve",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    sortOptions = false,
    description = {
      "A web page and service for a trained model: drop a picture, see its class.",
      "Programs post pictures to /v1/predict; see docs/serving.md."
    })
public final class ServeCommand implements CommandExtension {

  private static final String VARIABLE = "SPD_TOKEN";
  private static final int SHORTEST_TOKEN = 16;

  /** A picture of {@code --max-pixels} takes a few seconds in the slowest of the formats. */
  private static final Duration DECODING = Duration.ofSeconds(10);

  /** What leaves time for the rest of the way out within five seconds. */
  private static final Duration GRACE = Duration.ofSeconds(3);

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "MODEL", description = "A run's folder or its model.zip.")
  private Path place;

  @Option(names = "--port", paramLabel = "N", description = "Where to listen; 0 is any free port.")
  private int port = 8080;

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      description =
          "The address to listen on; 0.0.0.0 is all. Any other than this machine's own needs a"
              + " token.")
  private String host = "127.0.0.1";

  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      description =
          "What clients must send as 'Authorization: Bearer TOKEN'. Others on this machine can"
              + " read it off the command line; the variable SPD_TOKEN is safer.")
  private String token;

  @Option(names = "--max-mb", paramLabel = "N", description = "The most megabytes of a request.")
  private int megabytes = 16;

  @Option(
      names = "--max-pixels",
      paramLabel = "N",
      description = "The most pixels of a picture, in millions.")
  private int megapixels = 50;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "How long a request may take, sending it included.")
  private int seconds = 30;

  @Option(
      names = "--queue",
      paramLabel = "N",
      description = "How many requests may be in hand; others are sent away with 503.")
  private int queue = 32;

  @Option(
      names = "--batch",
      paramLabel = "N",
      description = "The most pictures that go through the network together.")
  private int batch = 8;

  @Option(
      names = "--unsure-below",
      paramLabel = "PERCENT",
      description =
          "An answer that is less probable is unsure. Unless set, what the model's validation images"
              + " call for.")
  private Double unsureBelow;

  @Option(
      names = "--engine",
      paramLabel = "NAME",
      description =
          "What computes the answers: ${COMPLETION-CANDIDATES}. AUTO is ONNXRUNTIME on a CPU; a"
              + " network that it cannot compute stays with DL4J.")
  private Engine engine = Engine.AUTO;

  /** For picocli. */
  public ServeCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    Limits limits =
        new Limits(
            (long) megabytes << 20,
            1_000_000L * megapixels,
            queue,
            batch,
            Duration.ofSeconds(seconds),
            DECODING,
            GRACE);
    if (unsureBelow != null && !(unsureBelow >= 0 && unsureBelow <= 100)) {
      throw new UserException("--unsure-below needs 0 to 100 percent, got " + unsureBelow);
    }
    InetSocketAddress address = address();
    String secret = secret(address.getAddress());
    ImageClassifier classifier = TrainedModel.load(place, engine);
    TrainedModel.ask(
        place,
        () -> {
          warmUp(classifier);
          return classifier;
        });
    double limit =
        unsureBelow == null ? classifier.card().confidence().unsureBelow() : unsureBelow / 100;
    ImageServer server = new ImageServer(classifier, address, secret, limits, limit);
    Runtime.getRuntime().addShutdownHook(new Thread(server::close, "stop"));
    PrintWriter out = spec.commandLine().getOut();
    out.println(
        TrainedModel.name(place)
            + " knows "
            + classifier.classes().size()
            + " classes. Open this in a browser:");
    out.println("  http://" + name(server.address()));
    out.println("Ctrl-C stops it.");
    out.flush();
    new CountDownLatch(1).await(); // for a signal
    return 0;
  }

  /** The first picture takes seconds, while libraries are loaded: nobody shall wait for it. */
  private static void warmUp(ImageClassifier classifier) {
    int size = classifier.card().size();
    BufferedImage noise = new BufferedImage(size, size, BufferedImage.TYPE_INT_RGB);
    int[] colours = new Random(1).ints((long) size * size).toArray();
    noise.setRGB(0, 0, size, size, colours, 0, size);
    try {
      PreparedImage image = classifier.prepare(new ByteArrayInputStream(Png.bytes(noise)));
      String label = classifier.classifyTogether(List.of(image)).get(0).label();
      if (classifier.explains()) {
        classifier.attribution(image, label);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read a picture of its own", e);
    }
  }

  private InetSocketAddress address() {
    if (port < 0 || port > 65_535) {
      throw new UserException("--port: expected 0 to 65535, got " + port);
    }
    try {
      return new InetSocketAddress(InetAddress.getByName(host), port);
    } catch (UnknownHostException e) {
      throw new UserException("--host: expected an address of this machine, got " + host, e);
    }
  }

  private String secret(InetAddress address) {
    String secret = token == null ? System.getenv(VARIABLE) : token;
    if (secret == null) {
      if (!address.isLoopbackAddress()) {
        throw new UserException(
            String.format(
                "--host %s lets other machines in: set %s to a secret of %d characters or more,"
                    + " such as $(openssl rand -hex 16)",
                host, VARIABLE, SHORTEST_TOKEN));
      }
    } else if (secret.length() < SHORTEST_TOKEN || !secret.matches("[\\x21-\\x7e]+")) {
      throw new UserException(
          String.format(
              "the token: expected %d letters, digits or signs or more, without spaces",
              SHORTEST_TOKEN));
    }
    return secret;
  }

  /** Host and port as a browser takes them. */
  private static String name(InetSocketAddress address) {
    String text = address.getAddress().getHostAddress();
    String host =
        address.getAddress().isAnyLocalAddress()
            ? "localhost"
            : text.contains(":") ? "[" + text + "]" : text;
    return host + ":" + address.getPort();
  }
}
