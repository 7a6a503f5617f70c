import type { AMISelectorTerm, AMIStatus } from '../../apis/ec2-node-class.ts';

/** The first release whose `ephemeral-storage bind` knows the directories by itself. */
const FIRST_MINOR = 46;

/** Whether the release of Bottlerocket that a class selects binds the known directories when it is told none. */
export function bindsKnownDirectories(terms: readonly AMISelectorTerm[], amis: readonly AMIStatus[]): boolean {
  const version = releaseOf(terms, amis);
  if (version === 'latest') return true;
  const [, major, minor] = /^v*(\d+)\.(\d+)\./.exec(version ?? '') ?? [];
  return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= FIRST_MINOR);
}

/** From the alias, else from the name that is looked for, else from that of the image with the id, else of any image. */
function releaseOf(terms: readonly AMISelectorTerm[], amis: readonly AMIStatus[]): string | undefined {
  const named = amis.filter(({ name }) => name?.includes('bottlerocket'));
  return (
    terms.map(({ alias }) => alias?.split('@')[1]).find(Boolean) ??
    terms.map(({ name }) => releaseIn(name)).find(Boolean) ??
    terms.map(({ id }) => releaseIn(named.find((ami) => ami.id === id)?.name)).find(Boolean) ??
    named.map(({ name }) => releaseIn(name)).find(Boolean)
  );
}

/** For example of `bottlerocket-aws-k8s-1.33-x86_64-v1.46.0-431fe75a`. */
const releaseIn = (name = ''): string | undefined =>
  name.split('-').find((part) => part.startsWith('v') && part.includes('.'));
