import { delimiter, resolve } from 'node:path';
import type { Style } from '../style.ts';
import { contextName } from './context-name.ts';

export interface NextCommandsInput {
  readonly clusterName: string;
  /** The kubeconfig that the context was written to, when it isn't the one that kubectl reads anyway. */
  readonly kubeconfig: string | undefined;
  /** The folder of the launcher. */
  readonly binFolder: string;
  readonly examplesFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly style: Style;
  readonly detached: boolean;
}

/** What to type next, as it can be pasted. */
export function nextCommands(input: NextCommandsInput): string {
  const { clusterName, kubeconfig, binFolder, examplesFolder, env, style, detached } = input;
  const onPath = (env.PATH ?? '').split(delimiter).some((folder) => folder !== '' && resolve(folder) === binFolder);
  const flag = kubeconfig ? ` --kubeconfig ${kubeconfig}` : '';
  const name = clusterName === 'local' ? '' : ` --name ${clusterName}`;
  const lines = [
    ...(onPath ? [] : [`export PATH="${binFolder}:$PATH"`]),
    `kubectl apply -f ${examplesFolder}/inflate.yaml${flag}`,
    `kubectl scale deploy/inflate --replicas 12${flag}`,
    `kubectl get nodepools,nodeclaims,nodes,pods -o wide${flag}`,
    `kubectl karpenter status${flag}`,
    `kubectl karpenter down${name}`,
  ];
  const end = detached ? '' : `\n${style.dim('Ctrl-C stops it and keeps its state.')}`;
  const head = `${style.bold('Next')}${onPath ? '' : ' (in another shell, or after -d in this one)'}`;
  return `${head}\n${lines.map((line) => `  ${line}`).join('\n')}\n  ${style.dim(`context ${contextName(clusterName)}`)}${end}`;
}
