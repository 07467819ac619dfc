/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j;

import io.github.spd4j.encoding.DescriptorSample;
import io.github.spd4j.encoding.ExpectationMaximization;
import io.github.spd4j.encoding.FitProgress;
import io.github.spd4j.encoding.GaussianMixture;
import io.github.spd4j.encoding.PrincipalComponents;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.linalg.SpectralFunction;
import io.github.spd4j.linalg.SymmetricEigen;
import io.github.spd4j.linalg.Tridiagonal;
import io.github.spd4j.manifold.Retraction;
import io.github.spd4j.manifold.StiefelGeometry;
import io.github.spd4j.manifold.StiefelMetric;
import io.github.spd4j.samediff.StiefelVariables;
import io.github.spd4j.testing.ArgumentsContract;
import io.github.spd4j.updater.StiefelAdam;
import io.github.spd4j.updater.StiefelSgd;
import java.lang.reflect.Parameter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.schedule.FixedSchedule;
import org.nd4j.linalg.schedule.ISchedule;

/** The rooms of mathematics. */
class ArgumentsTest extends ArgumentsContract {

  /** What is a point of the Stiefel manifold where all is good. */
  private static final String POINTS =
      "(Stiefel|StiefelMetric|StiefelGeometry|Retraction|StiefelUpdater)[.].* w"
          + "|Stiefel[.](principalAngles|projectionDistance|chordalDistance) (a|b)"
          + "|SpdOps[.].* w|SymmetricEigen.SymmetricEigen vectors";

  /** What has to be on the Stiefel manifold for the answer to be one. */
  private static final String ON_THE_MANIFOLD =
      "Stiefel.(projection|addProjection) w|StiefelMetric.gradient w"
          + "|Stiefel.(principalAngles|projectionDistance) (a|b)|StiefelUpdater.transport w";

  /** What has to be positive definite. */
  private static final String DEFINITE =
      "SpdMetric.(distance|geodesic|logarithm|transport) (a|b)|SpdMetric.(exponential|norm) a"
          + "|SpdMetric.mean points|Spd.(logarithm|power) a|Spd.optimalMap (a|b)";

  /** Functions of one matrix, which refuse a stack. */
  private static final Set<String> OF_ONE =
      Set.of(
          "Matrices.transposeSecondInParts",
          "Matrices.plusProduct",
          "Matrices.gramMinusIdentity",
          "SymmetricEigen.valuesOf",
          "SymmetricEigen.overwriteByVectors",
          "Tridiagonal.overwriteByBasis",
          "Spd.eigenvalues",
          "Stiefel.addProjection",
          "StiefelGeometry.gradient",
          "StiefelGeometry.addProjection",
          "StiefelGeometry.retract",
          "StiefelGeometry.estimatedDistance",
          "StiefelUpdater.transport");

  ArgumentsTest() {
    super("linalg", "manifold", "encoding", "samediff", "updater");
    String finite = "NaN infinity";
    String shapes = "vector stacks wide";
    // What any array may be asked.
    answered("Matrices.doubles Matrices.floats", "array", TYPES + " empty nothing " + shapes);
    answered("Matrices.isFinite Matrices.requireFinite", "a", TYPES + " empty nothing " + shapes);
    answered("Matrices.isFinite", "a", finite);
    answered("Matrices.transpose", "a", TYPES + " nothing"); // a view of it
    answered("StiefelGeometry.squaredNorm Matrices.transpose", "a", "wide");
    answered("StiefelGeometry.squaredNorm", "a", "vector stacks");
    String arrays = "StiefelGeometry.read StiefelGeometry.write StiefelGeometry.quotient";
    answered(arrays, "vector", shapes);
    answered("Matrices.addMultiple", "c", shapes);
    // What is computed for each step or pass does not look for NaN: the result has it.
    answered(arrays, "vector", finite);
    answered("StiefelGeometry.write", "numbers", "NaN");
    answered("StiefelGeometry.squaredNorm", "a", finite);
    answered("StiefelGeometry.gradient", "w g v", finite);
    answered("StiefelGeometry.addProjection", "target w z", finite);
    answered("StiefelGeometry.retract", "w tangent", finite); // an ArithmeticException
    answered("StiefelGeometry.estimatedDistance", "w", finite);
    answered("Matrices.doubles Matrices.floats", "array", finite);
    answered("Matrices.product Matrices.transposeFirst", "a b", finite);
    answered("Matrices.transposeSecond Matrices.transposeSecondInParts", "a b", finite);
    answered("Matrices.plusProduct", "a b c", finite);
    answered("Matrices.addMultiple", "a c", finite);
    answered("Matrices.transpose Matrices.symmetricPart", "a", finite);
    String orthonormality =
        "Matrices.orthonormalityError Matrices.estimatedOrthonormalityError"
            + " Matrices.gramMinusIdentity";
    answered(orthonormality, "q", finite);
    answered("Cholesky.backward SpectralFunction.backward", "gradient", finite);
    answered("Shrinkage.byAlpha Shrinkage.byMatrices", "gradient", finite);
    answered("Shrinkage.byUnnormalized", "gradient", finite);
    answered("Cholesky.lowerHalf", "matrices", finite);
    answered("Cholesky.withLogDiagonals", "factors", finite);
    answered("Cholesky.withExpDiagonals", "coordinates", finite);
    answered("SymmetricEigen.SymmetricEigen", "values vectors", finite); // as LAPACK leaves them
    answered("Tridiagonal.Shifted.halfSolve", "numbers", "NaN");
    answered("Tridiagonal.Shifted.solve", "rows", "NaN empty"); // nothing to solve
    answered("PrincipalComponents.project", "rows", finite);
    answered("NumericPolicy.inverse", "x floor", finite + " -infinity");
    answered("NumericPolicy.shrinking", "largest", finite + " -infinity");
    // What is measured, and infinite if it is so.
    answered("Spd.asymmetry", "a", finite);
    String distances = "Stiefel.distanceFromManifold Stiefel.estimatedDistanceFromManifold";
    answered(distances + " Stiefel.distanceFromTangentSpace", "w", finite + " wide");
    answered("Stiefel.distanceFromTangentSpace", "tangent", finite + " wide");
    // Matrices of any size, and what does not go together with the others.
    answered("Matrices.product Matrices.transposeFirst", "a", "wide");
    answered("Matrices.transposeSecond Matrices.transposeSecondInParts", "a b", "wide");
    answered("Matrices.plusProduct", "c", "wide");
    answered(orthonormality, "q", "wide");
    answered("StiefelGeometry.gradient StiefelGeometry.addProjection", "w", "wide");
    answered("StiefelGeometry.retract StiefelGeometry.estimatedDistance", "w", "wide");
    // Rows, of which there may be any number.
    answered("DescriptorSample.add", "descriptors", "wide");
    answered("PrincipalComponents.of PrincipalComponents.project", "rows", "wide");
    answered("GaussianMixture.meanLogLikelihood", "rows", "wide");
    answered("GaussianMixture.GaussianMixture", "means", "wide");
    // Reasons are the answer.
    answered("Spd.check", "a", TYPES + " empty nothing " + finite + " " + shapes);
    answered("Stiefel.check", "w", TYPES + " empty nothing " + finite + " " + shapes);
    answered("Spd.check", "symmetryTolerance", "infinity"); // anything is near enough
    answered("Stiefel.check", "tolerance", "infinity");
    // Others.
    answered("SpectralFunction.define Shrinkage.defineNormalized", "matrices", "vector");
    answered("Shrinkage.defineShrunk", "matrices alpha", "vector"); // a graph may not know shapes
    answered("StiefelUpdater.transport", "w", "wide"); // the memory does not go with it
    answered("SpdMetric.mean", "weights", TYPES); // any numbers are weights, such as counts
    answered("DescriptorSample.DescriptorSample ExpectationMaximization.seed", "seed", "negative");
    answered("NotFiniteException.NotFiniteException", "message", "null");
    answered("StiefelUpdaters.isAllowed StiefelUpdaters.counterpartOf", "updater", "null");
    answered("StiefelUpdaters.counterpartOf", "present", "null"); // as documented
  }

  @Override
  protected boolean isOfOne(String function) {
    return OF_ONE.contains(function)
        || function.matches(
            "(DescriptorSample|ExpectationMaximization|GaussianMixture|PrincipalComponents)[.].*");
  }

  @Override
  protected Stream<Object> objects(Form form) {
    Tridiagonal tridiagonal = Tridiagonal.overwriteByBasis(Form.DOUBLE.definite(0).dup('f'));
    return Stream.of(
        new StiefelGeometry(),
        SymmetricEigen.of(form.definite(0)),
        SpectralFunction.logarithm(1e-9),
        tridiagonal,
        tridiagonal.plus(1),
        new NotFiniteException(""),
        new DescriptorSample(N, 1),
        new ExpectationMaximization().components(2),
        mixture(),
        PrincipalComponents.of(Form.DOUBLE.definite(0), 2),
        new StiefelVariables("w"),
        new StiefelSgd(0.1, 0.5),
        StiefelSgd.builder(),
        StiefelAdam.builder());
  }

  private static GaussianMixture mixture() {
    INDArray ones = Nd4j.ones(Form.DOUBLE.type(), N, N);
    INDArray weights = Nd4j.valueArrayOf(new long[] {1, N}, 1.0 / N, Form.DOUBLE.type());
    return new GaussianMixture(weights, Form.DOUBLE.definite(0), ones);
  }

  @Override
  protected Object good(String function, Parameter parameter, int place, Form form) {
    Class<?> type = parameter.getType();
    String name = parameter.getName();
    if (type == INDArray.class) {
      return goodArray(function, name, place, form);
    }
    Object[] usual = {
      StiefelMetric.CANONICAL,
      Retraction.QR,
      (DoubleUnaryOperator) x -> x,
      UnaryOperator.identity(),
      SymmetricEigen.of(form.definite(place)),
      FitProgress.NONE,
      new RbfKernel(),
      Map.of(),
      SpectralFunction.logarithm(1e-9),
      new StiefelSgd(),
      new FixedSchedule(0.1),
      new String[] {"w"}
    };
    Class<?>[] types = {
      StiefelMetric.class,
      Retraction.class,
      DoubleUnaryOperator.class,
      UnaryOperator.class,
      SymmetricEigen.class,
      FitProgress.class,
      Kernel.class,
      Map.class,
      SpectralFunction.class,
      IUpdater.class,
      ISchedule.class,
      String[].class
    };
    for (int i = 0; i < types.length; i++) {
      if (type == types[i]) {
        return usual[i];
      }
    }
    return function.startsWith("SpdOps.") && name.equals("w")
        ? Form.DOUBLE.point(place)
        : name.equals("alpha") && type != double.class ? Nd4j.scalar(0.5) : null;
  }

  private static INDArray goodArray(String function, String name, int place, Form form) {
    if ((function + " " + name).matches(POINTS)) {
      return form.point(place);
    }
    switch (name) {
      case "weights":
        return function.startsWith("GaussianMixture.")
            ? Nd4j.valueArrayOf(new long[] {1, N}, 1.0 / N, form.type())
            : Nd4j.ones(form.type(), form.isStack() ? 2 : 1);
      case "values":
        return form.isStack() ? Nd4j.ones(form.type(), 2, N) : Nd4j.ones(form.type(), N);
      case "memory":
        return Nd4j.ones(form.type(), N * N);
      case "factors":
        return form.triangle(place);
      case "variances":
        return Nd4j.ones(form.type(), N, N);
      default:
        return form.definite(place).dup(function.contains(".overwriteBy") ? 'f' : 'c');
    }
  }

  @Override
  protected Map<String, Object> worse(String argument, Object good) {
    Map<String, Object> worse = new LinkedHashMap<>();
    if (argument.matches(DEFINITE)) {
      worse.put("indefinite", wrongLast((INDArray) good, -1e-3));
    }
    if (argument.matches(ON_THE_MANIFOLD)) {
      worse.put("off", wrongLast((INDArray) good, 1.01));
    }
    if (argument.matches("Shrinkage[.].* alpha") && good instanceof Double) {
      worse.put("more than all", 2.0);
      worse.put("less than none", -0.1);
    }
    return worse;
  }

  /** Good but for an entry on the diagonal of the last matrix. */
  private static INDArray wrongLast(INDArray good, double entry) {
    INDArray matrix = good.dup();
    INDArray last = matrix.rank() == 3 ? matrix.slice(1) : matrix;
    last.putScalar(1, 1, entry);
    return matrix;
  }
}
