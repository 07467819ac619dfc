/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * What draws cases from seeds: a few, always the same, in every build, and many in campaigns. A
 * case that fails prints its seed, and how to replay it alone. All of them are here, so that a
 * campaign leaves none out.
 *
 * <ul>
 *   <li>{@code -Dspd4j.campaign=200} says how many cases, times a factor of each generator;
 *   <li>{@code -Dspd4j.campaign.seed=S} is the seed of the first, the others have the next ones;
 *   <li>{@code -Dspd4j.campaign.minutes=10} goes on with fresh seeds, for so long with each
 *       generator;
 *   <li>{@code -Dspd4j.campaign.replay=S} runs the case of that seed alone.
 * </ul>
 */
public enum Generator {
  /** Pictures with bytes changed, left out or doubled. */
  PICTURES(100, 2.5),
  /** Lists of data sets. */
  LISTS(40, 1),
  /** Model files. */
  MODELS(40, 1),
  /** Files of weights. */
  SAFETENSORS(200, 5),
  /** Networks in ONNX files. */
  ONNX(120, 3),
  /** Records of runs: settings, checkpoints, results. */
  RECORDS(8, 1),
  /** Requests of random parts. */
  REQUESTS(400, 40),
  /** Many clients at once. */
  FLOODS(1, 0.1),
  /** Faults of the disk, strangers' files and clocks that jump. */
  FAULTS(4, 0.5),
  /** Trainings that are killed, or ended by a signal. */
  ENDED_TRAININGS(1, 0.5),
  /** Predictions likewise. */
  ENDED_PREDICTIONS(1, 0.125),
  /** Services likewise. */
  ENDED_SERVICES(1, 0.125);

  private static final String PREFIX = "spd4j.campaign";
  private static final Integer CASES = Integer.getInteger(PREFIX);
  private static final long FIRST = Long.getLong(PREFIX + ".seed", 1);
  private static final Long ONE = Long.getLong(PREFIX + ".replay");
  private static final double MINUTES =
      Double.parseDouble(System.getProperty(PREFIX + ".minutes", "0"));

  private final int usual;
  private final double factor;

  Generator(int usual, double factor) {
    this.usual = usual;
    this.factor = factor;
  }

  /** A case that holds, or throws. */
  public interface Case {
    void run(long seed) throws Exception;
  }

  /** A damage that is refused as it should be, or does no harm. */
  public interface Damage {
    boolean isRefused(long seed) throws Exception;
  }

  /** Whether a campaign runs, which takes long anyway. */
  public static boolean isCampaign() {
    return CASES != null;
  }

  /** Whether a single case runs. */
  public static boolean isReplay() {
    return ONE != null;
  }

  /** How often something without seeds is tried. */
  public static int times(int usual) {
    return isCampaign() ? CASES : usual;
  }

  private long cases() {
    return isCampaign() ? Math.max(1, Math.round(factor * CASES)) : usual;
  }

  /** Runs the cases. */
  public void each(Case test) {
    Class<?> caller =
        StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).getCallerClass();
    each(test, caller);
  }

  /**
   * Runs the cases, of which at least a share has to be refused, and one not.
   *
   * @param least the share
   */
  public void each(double least, Damage test) {
    Class<?> caller =
        StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).getCallerClass();
    long[] refused = new long[1];
    long all = each(seed -> refused[0] += test.isRefused(seed) ? 1 : 0, caller);
    if (all >= usual) {
      assertThat((double) refused[0] / all).as("share refused").isBetween(least, 1 - 1.0 / all);
    }
  }

  private long each(Case test, Class<?> caller) {
    if (ONE != null) {
      run(test, ONE, caller);
      return 1;
    }
    long end = System.nanoTime() + (long) (MINUTES * TimeUnit.MINUTES.toNanos(1));
    long cases = cases();
    for (long seed = FIRST; seed < FIRST + cases; seed++) {
      run(test, seed, caller);
    }
    if (MINUTES > 0) {
      long first = new Random().nextLong() >>> 2;
      System.out.printf("%s: fresh seeds from %d on%n", this, first); // should the process die
      long seed = first;
      for (; System.nanoTime() < end; seed++) {
        run(test, seed, caller);
      }
      System.out.printf("%s: %d cases of fresh seeds%n", this, seed - first);
      cases += seed - first;
    }
    return cases;
  }

  private void run(Case test, long seed, Class<?> caller) {
    try {
      test.run(seed);
    } catch (Exception | Error e) {
      throw new AssertionError(
          String.format(
              "%s of seed %d: %s%nTo replay it: mvn test -Dtest=%s -D%s.replay=%d"
                  + " -Dsurefire.failIfNoSpecifiedTests=false",
              this, seed, e.getMessage(), caller.getSimpleName(), PREFIX, seed),
          e);
    }
  }
}
