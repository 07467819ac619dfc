/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.experiments.Candidate;
import io.github.spd4j.experiments.ExperimentSettings;
import io.github.spd4j.experiments.KernelChoice;
import io.github.spd4j.experiments.Method;
import io.github.spd4j.experiments.UserException;
import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Views;
import io.github.spd4j.models.Engine;
import io.github.spd4j.train.plan.LayerGroup;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

class ExperimentOptionsTest {

  private static ExperimentSettings parse(String... args) {
    CommandSpec spec = CommandSpec.create();
    ExperimentOptions options = new ExperimentOptions(spec);
    new CommandLine(spec).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(args);
    return options.settings();
  }

  @Test
  void optionsSetFields() {
    ExperimentSettings settings =
        parse(
            "--methods=b-cnn,spd,b-cnn",
            "--seed=1,2",
            "--seed=3",
            "-o=here",
            "--training-views=plain",
            "--drop-models",
            "--rate=classifier=0.5,rest=0.25",
            "--learn-bandwidth",
            "--differentiate-bandwidth",
            "--kernel=laplacian",
            "--spark=local[2]");
    assertThat(settings.methods).containsExactly(Method.B_CNN, Method.SPD);
    assertThat(settings.seeds).containsExactly(1L, 2L, 3L);
    assertThat(settings.out).isEqualTo(Path.of("here"));
    assertThat(settings.trainingViews).isEqualTo(Views.PLAIN);
    assertThat(settings.dropModels).isTrue();
    assertThat(settings.training.headRates)
        .containsEntry(LayerGroup.CLASSIFIER, 0.5)
        .containsEntry(LayerGroup.REST, 0.25);
    assertThat(settings.head.learnBandwidth).isTrue();
    assertThat(settings.head.differentiateBandwidth).isTrue();
    assertThat(settings.head.kernel).isEqualTo(KernelChoice.LAPLACIAN);
    assertThat(settings.cluster.master).isEqualTo("local[2]");
  }

  @Test
  void everyOptionHasHelp() {
    CommandSpec spec = Commands.line(ExperimentCommand.paper()).getCommandSpec();
    assertThat(spec.options()).hasSizeGreaterThan(30);
    assertThat(spec.options())
        .allSatisfy(option -> assertThat(option.description()).isNotEmpty().doesNotContain(""));
  }

  @Test
  void whatIsNotGivenKeepsItsDefault() {
    assertThat(parse()).usingRecursiveComparison().isEqualTo(new ExperimentSettings());
  }

  /** Each plan says whether it trains the whole network; a backbone in ONNX cannot be. */
  @ParameterizedTest
  @CsvSource({
    "'', 0",
    "--plan=paper, 30",
    "--plan=fitted, 30",
    "--plan=paper --epochs-whole=2, 2",
    "--epochs-whole=5, 5",
    "--plan=paper --backbone=onnx:a.onnx, 0",
    "--try=plan paper, 30",
    "--try=scale 3, 0",
    "--try=plan paper epochs-whole 0, 0",
    "--epochs-whole=5 --try=plan paper, 5",
    "--epochs-whole=0 --try=plan paper, 0",
    "--backbone=onnx:a.onnx --try=plan paper, 0"
  })
  void stageTwoIsWhatThePlanSaysUnlessItIsGiven(String words, int epochs) {
    String[] each = words.isEmpty() ? new String[0] : words.split(" (?=--)");
    List<Candidate> candidates = parse(each).candidates();
    assertThat(candidates.get(candidates.size() - 1).training().wholeEpochs).isEqualTo(epochs);
  }

  @Test
  void aTryChangesNothingButWhatItNames() {
    ExperimentSettings settings =
        parse(
            "--methods=spd,fv-cnn",
            "--scale=4",
            "--rate=classifier=0.25",
            "--try=components 2 rate rest=0.5,backbone=1");
    Candidate candidate = settings.tries.get(0);
    assertThat(candidate.name()).isEqualTo("components 2 rate rest=0.5,backbone=1");
    assertThat(candidate.head().components).isEqualTo(2);
    assertThat(candidate.head().scale).isEqualTo(4);
    assertThat(candidate.training().headRates)
        .containsEntry(LayerGroup.CLASSIFIER, 0.25)
        .containsEntry(LayerGroup.REST, 0.5);
    assertThat(settings.head.components).isEqualTo(64);
    assertThat(settings.training.headRates).containsOnlyKeys(LayerGroup.CLASSIFIER);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--method=b-cnn --transform=4 | --transform does nothing for b-cnn: leave it out, or take a"
            + " method such as spd, spd-root",
        "--method=spd,isqrt-cov --exponent=0.5 | --exponent does nothing for spd, isqrt-cov",
        "--method=b-cnn --kernel=laplacian | --kernel does nothing for b-cnn",
        "--method=isqrt-cov --bandwidth=2 | --bandwidth does nothing for isqrt-cov",
        "--method=isqrt-cov --learn-bandwidth | --learn-bandwidth does nothing for isqrt-cov",
        "--method=log-cholesky --scale=3 | --scale does nothing for log-cholesky",
        "--method=spd-root --power-floor=0.2 | --power-floor does nothing for spd-root",
        "--method=spd --components=3 | such as fv-cnn, fv-fc-cnn",
        "--method=spd --dimensions=3 | --dimensions does nothing for spd",
        "--method=b-cnn --sketch=64 | such as compact-bilinear",
        "--method=b-cnn --random-start | --random-start does nothing for b-cnn",
        "--method=spd --kernel=covariance --bandwidth=2 | --bandwidth does nothing with"
            + " --kernel=covariance: leave one of them out",
        "--method=b-cnn --rate=convolution=0.1 | --rate convolution=... does nothing for b-cnn: leave"
            + " it out, or take one of classifier, rest, backbone",
        "--method=isqrt-cov,b-cnn --whole-rate=transform=1 | --whole-rate transform=... does nothing"
            + " for isqrt-cov, b-cnn",
        "--method=spd --scale=Infinity | expected a finite scale greater than 0",
      })
  void anOptionThatDoesNothingIsRefused(String words, String message) {
    assertThatThrownBy(() -> parse(words.split(" ")))
        .isInstanceOf(UserException.class)
        .hasMessageContaining(message);
  }

  @Test
  void aTryThatDoesNothingIsRefused() {
    assertThatThrownBy(() -> parse("--method=b-cnn,vgg-16", "--try=scale 3 exponent 0.3"))
        .isInstanceOf(UserException.class)
        .hasMessage(
            "--exponent does nothing for b-cnn, vgg-16: leave it out, or take a method such as"
                + " mpn-cov");
    assertThatThrownBy(() -> parse("--method=b-cnn", "--try=rate convolution=0.1"))
        .isInstanceOf(UserException.class)
        .hasMessageStartingWith("--rate convolution=... does nothing for b-cnn");
    assertThat(parse("--method=spd", "--kernel=covariance", "--bandwidth=2", "--try=kernel rbf"))
        .extracting(settings -> settings.tries.get(0).head().bandwidth)
        .isEqualTo(2.0);
  }

  @Test
  void anOptionIsForSomeOfTheMethods() {
    parse("--methods=spd,b-cnn", "--rate=convolution=0.1,transform=0.1,backbone=1");
    parse("--methods=all", "--transform=4", "--scale=3", "--bandwidth=2", "--kernel=laplacian");
    parse("--methods=all", "--learn-bandwidth", "--differentiate-bandwidth", "--power-floor=0.2");
    parse("--methods=all", "--exponent=0.3", "--components=2", "--dimensions=3", "--sketch=9");
    parse("--methods=b-cnn,spd", "--random-start");
  }

  @Test
  void mistakesAreNamed() {
    assertThatThrownBy(() -> parse("--try=methods spd"))
        .isInstanceOf(UserException.class)
        .hasMessageContaining("--try needs options of heads and training")
        .hasMessageContaining("'methods spd'");
    assertThatThrownBy(() -> parse("--try=scale x")).hasMessageContaining("'scale x'");
    assertThatThrownBy(() -> parse("--try=scale -1"))
        .hasMessageContaining("--scale needs more than 0, got -1.0");
    assertThatThrownBy(() -> parse("--try=scale 3", "--folds=1"))
        .hasMessageContaining("--folds needs at least 2, got 1");
    assertThatThrownBy(() -> parse("--seeds=1,0"))
        .hasMessageContaining("--seed needs a number other than 0");
    assertThatThrownBy(() -> parse("--try=scale 3", "--spark=local[2]"))
        .hasMessageContaining("without --spark");
    assertThatThrownBy(() -> parse("--engine=onnxruntime", "--spark=local[2]"))
        .hasMessageContaining("--engine needs dl4j with --spark");
    assertThat(parse("--engine=dl4j", "--spark=local[2]").engine).isEqualTo(Engine.DL4J);
    assertThatThrownBy(() -> parse("--test-views=fifteen_crops"))
        .hasMessage(
            "--test-views needs views without chance, such as five_crops, got fifteen_crops");
    assertThatThrownBy(() -> parse("--method=spdd"))
        .isInstanceOf(UserException.class)
        .hasMessageContaining("--method needs all or some of fv-cnn");
  }

  @Test
  void pixelsAreANameOrWhatTheyAreMadeOf() {
    assertThat(ExperimentOptions.pixels(null)).isNull();
    assertThat(ExperimentOptions.pixels("caffe")).isEqualTo(PixelFormat.CAFFE);
    assertThat(ExperimentOptions.pixels("Zero-One")).hasToString("RGB, 0 to 1");
    assertThat(ExperimentOptions.pixels("rgb,0-1,mean=0.485/0.456/0.406,dev=0.229/0.224/0.225"))
        .isEqualTo(ExperimentOptions.pixels("torch"))
        .hasToString("RGB, 0 to 1, minus (0.485, 0.456, 0.406), divided by (0.229, 0.224, 0.225)");
    assertThat(ExperimentOptions.pixels("bgr,0-255,mean=104/117/123")).isEqualTo(PixelFormat.CAFFE);
    for (String wrong : new String[] {"cafe", "rgb", "rgb,0-2", "rgb,0-1,mean=1/2"}) {
      assertThatThrownBy(() -> ExperimentOptions.pixels(wrong))
          .isInstanceOf(UserException.class)
          .hasMessageContaining("got " + wrong);
    }
  }
}
