/** Every code that an error may carry, with the page that `help CODE` prints. */
export const ERROR_CODES = {
  KE1001: [
    'unknown command',
    'The first word after `kubectl karpenter` names no command. `kubectl karpenter --help` lists them all.',
  ],
  KE1002: [
    'wrong usage',
    "A flag or argument is unknown, missing, or has a value that it can't have. `kubectl karpenter COMMAND --help` shows what the command takes.",
  ],
  KE1101: [
    'malformed input',
    'A document given with --from is not valid YAML or JSON in UTF-8, or is no Kubernetes object: it needs apiVersion, kind and metadata.name; or it breaks a rule of its kind, so that no cluster would take it. The message names file, document and line. `kubectl get -o yaml` and `kubectl karpenter snapshot` write what --from reads.',
  ],
  KE1102: ['unreadable input', 'A file or folder given on the command line is missing or may not be read.'],
  KE1103: [
    'nothing to work on',
    'The input holds no object of a kind that the command needs, for example no NodePool.',
  ],
  KE1104: [
    'bad instance types',
    'The file given with --instance-types is not a list of instance types in the format of the kwok provider: each needs name, resources, architecture, operatingSystems and offerings with Price, Available and Requirements.',
  ],
  KE1201: [
    'kubeconfig unusable',
    "The kubeconfig (--kubeconfig, KUBECONFIG or ~/.kube/config) is missing, may not be read, is not valid YAML, or refers to a context, cluster or user that it doesn't define. `kubectl config view` shows what kubectl makes of it.",
  ],
  KE1202: [
    'cluster unreachable',
    'The API server of the current context gave no answer. If it is a local one, it may have been stopped: `kubectl karpenter up --local` starts it again with its state.',
  ],
  KE1203: [
    'Karpenter is not installed in this cluster',
    'The API has no karpenter.sh resources. `kubectl karpenter controller --print-crds | kubectl apply -f -` installs them; `kubectl karpenter up --local` starts a cluster that has them.',
  ],
  KE1204: [
    'no longer the leader',
    'The controller could not renew its lease within ten seconds, so another may lead by now, and it ended at once. Started again, it waits for its turn.',
  ],
  KE1205: [
    'AWS not usable',
    'The controller with --provider aws needs credentials, a region, EC2 and (without --cluster-endpoint) EKS to start. `kubectl karpenter doctor --provider aws` says which of them is missing, and which permission. Commands that only look need credentials and the right to describe instance types, their offerings and prices when they are given --catalog aws; without it they go on with what comes with the program.',
  ],
  KE1301: ['no such object', 'No object of that type has that name. Names close to it are shown when there are any.'],
  KE1302: ['unknown type', 'The word before the name is not a type that the command can explain.'],
  KE1303: [
    'no such trouble for this node',
    'Only fake nodes are interrupted, those of a KWOKNodeClass, and of these only spot ones, as in EC2. `kubectl karpenter up --local` makes a cluster of fake nodes; a pool buys spot when its requirements allow the capacity type.',
  ],
  KE1401: [
    'local cluster runs already',
    'A cluster of that name is up. `kubectl karpenter down` removes it; `--name` starts another beside it.',
  ],
  KE1402: [
    'port busy',
    'Another program listens on the port, or it is no port. Without --port, `up` chooses a free one; the controller has --metrics-port and --health-probe-port, and 0 for neither.',
  ],
  KE1403: [
    'state folder unusable',
    "The folder for the cluster's state ($XDG_STATE_HOME/kubectl-karpenter, by default ~/.local/state/kubectl-karpenter) can't be created or written.",
  ],
  KE1404: [
    'start in the background failed',
    'The cluster did not become ready in time or ended early. The last lines of its log are shown; the log file has the rest.',
  ],
  KE1405: [
    'bad cluster name',
    'A name is 1 to 40 lower-case letters, digits and dashes, and begins and ends with a letter or digit.',
  ],
  KE1406: ['runtime not available', "The kind of cluster that was asked for can't be started by this version."],
  KE1501: ['timed out', 'The answer did not come within --timeout or --request-timeout.'],
  KE9001: [
    'fault in this program',
    'This is not your doing. The stack and the version that were printed are what is needed to mend it.',
  ],
} as const satisfies Record<string, readonly [title: string, page: string]>;

export type ErrorCode = keyof typeof ERROR_CODES;
