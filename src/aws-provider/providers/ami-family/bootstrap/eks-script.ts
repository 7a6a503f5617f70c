import { isIPv4 } from 'node:net';
import { wrappingErrors } from '../../../aws-api/wrapped-error.ts';
import type { BootstrapInput, UserData } from './bootstrap-input.ts';
import { kubeletFlags } from './kubelet-flags.ts';
import { type MimePart, parseMime } from './mime/parse-mime.ts';
import { looksLikeMime, partOf, SHELL_SCRIPT, writeMime } from './mime/write-mime.ts';

/** Of AL2, and of Ubuntu: the user's parts, then a script that calls the image's own for EKS. */
export const eksUserData: UserData = (input) =>
  writeMime([...customParts(input.customUserData), partOf(SHELL_SCRIPT, eksScript(input))]);

function customParts(text = ''): readonly MimePart[] {
  if (text === '') return [];
  if (!looksLikeMime(text)) return [partOf(SHELL_SCRIPT, text)];
  return wrappingErrors('parsing custom user data input', () => parseMime(text));
}

function eksScript(input: BootstrapInput): string {
  const { clusterName, clusterEndpoint, caBundle, kubelet, instanceStorePolicy } = input;
  const ca = caBundle === undefined ? '' : `--b64-cluster-ca '${caBundle}'`;
  const dns = kubelet.clusterDNS?.[0];
  return [
    '#!/bin/bash -xe\n',
    'exec > >(tee /var/log/user-data.log|logger -t user-data -s 2>/dev/console) 2>&1\n',
    // The script takes no equal signs between its arguments and their values.
    `/etc/eks/bootstrap.sh '${clusterName}' --apiserver-endpoint '${clusterEndpoint}' ${ca}`,
    ...(dns !== undefined && !isIPv4(dns) ? [' \\\n--ip-family ipv6'] : []),
    ...(dns === undefined ? [] : [` \\\n--dns-cluster-ip '${dns}'`]),
    ...(kubelet.maxPods === undefined ? [] : [' \\\n--use-max-pods false']),
    ` \\\n--kubelet-extra-args '${kubeletFlags(input).join(' ')}'`,
    ...(instanceStorePolicy === 'RAID0' ? [' \\\n--local-disks raid0'] : []),
  ].join('');
}
