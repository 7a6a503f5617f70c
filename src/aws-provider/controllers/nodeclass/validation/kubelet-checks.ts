import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { expressionProblem } from '../../../kubelet/expression-problem.ts';
import type { KubeletExpressions } from '../../../kubelet/expressions.ts';
import { unsupportedKubelet } from '../../../kubelet/family-support.ts';
import { kubeletSettings } from '../../../kubelet/kubelet-settings.ts';
import { hasExpressions } from '../../../kubelet/resolve-kubelet.ts';
import { kubeletProblems } from '../../../kubelet/validate-kubelet.ts';
import { type InstanceTypeProvider, InstanceTypesUnknownError } from '../../../providers/contracts.ts';

/** Why a class's kubelet configuration can't be used: reason and message of its condition. */
export interface KubeletFault {
  readonly reason: string;
  readonly message: string;
  /** What the controller's log says then; without it, the condition says enough. */
  readonly failure?: string;
}

export interface KubeletChecksDeps {
  readonly instanceTypes: Pick<InstanceTypeProvider, 'tryKubeletExpressions'>;
  /** Undefined while the feature gate NodeClassCEL is off. */
  readonly expressions: KubeletExpressions | undefined;
}

const DISABLED: KubeletFault = {
  reason: 'KubeletExpressionsDisabled',
  message: 'spec.kubelet contains a CEL expression, but the NodeClassCEL feature gate is disabled',
  failure: 'kubelet expressions are disabled',
};

/** Looks through `spec.kubelet`, which the API takes whatever is in it (aws-provider.md section 7, steps 2 to 5 and 7). */
export class KubeletChecks {
  readonly #deps: KubeletChecksDeps;

  constructor(deps: KubeletChecksDeps) {
    this.#deps = deps;
  }

  /** What is wrong whatever the instance type. */
  fault(nodeClass: EC2NodeClass): KubeletFault | undefined {
    const problems = kubeletProblems(nodeClass.spec.kubelet);
    if (problems.length > 0) return { reason: 'InvalidKubeletConfiguration', message: problems.join('; ') };
    return this.#expressionFault(nodeClass) ?? supportFault(nodeClass);
  }

  /** What is wrong with an expression for some instance type. */
  trial(nodeClass: EC2NodeClass): KubeletFault | 'too early' | undefined {
    if (!hasExpressions(kubeletSettings(nodeClass))) return undefined;
    try {
      this.#deps.instanceTypes.tryKubeletExpressions(nodeClass);
      return undefined;
    } catch (error) {
      if (error instanceof InstanceTypesUnknownError) return 'too early';
      const message = messageOf(error);
      const failure = `evaluating kubelet expressions, ${message}`;
      return { reason: 'KubeletExpressionEvaluationFailed', message, failure };
    }
  }

  #expressionFault(nodeClass: EC2NodeClass): KubeletFault | undefined {
    const settings = kubeletSettings(nodeClass);
    if (!hasExpressions(settings)) return undefined;
    if (!this.#deps.expressions) return DISABLED;
    const message = expressionProblem(settings, this.#deps.expressions);
    if (message === undefined) return undefined;
    const failure = `validating kubelet expressions, ${message}`;
    return { reason: 'KubeletExpressionInvalid', message, failure };
  }
}

function supportFault(nodeClass: EC2NodeClass): KubeletFault | undefined {
  const message = unsupportedKubelet(nodeClass);
  return message === undefined ? undefined : { reason: 'UnsupportedKubeletConfiguration', message, failure: message };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
