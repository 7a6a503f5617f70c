import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { amiFamilyOf } from '../../apis/ec2-node-class-facts.ts';
import { kubeletSettings } from '../../kubelet/kubelet-settings.ts';
import { tryExpressions } from '../../kubelet/resolve-kubelet.ts';
import { familyOf } from '../ami-family/families.ts';
import { kubeletVars } from './kubelet-vars.ts';
import type { ResolveDeps } from './resolve-instance-type.ts';

/**
 * Evaluates the expressions of a class's kubelet configuration for each of the types (aws-provider.md section 7, step 7).
 *
 * @throws the error of the first type for which one fails, or gives no possible number.
 */
export function tryKubelet(
  infos: Iterable<InstanceTypeInfo>,
  nodeClass: EC2NodeClass,
  { expressions, options }: Pick<ResolveDeps, 'expressions' | 'options'>,
): void {
  if (!expressions) return;
  const settings = kubeletSettings(nodeClass);
  const family = familyOf(amiFamilyOf(nodeClass));
  const { networkInterfaces } = nodeClass.spec;
  for (const info of infos) {
    tryExpressions(
      settings,
      (maxPods) => kubeletVars(info, family, settings, networkInterfaces, options.reservedENIs, maxPods),
      expressions,
    );
  }
}
