import type { EC2NodeClass } from '../apis/ec2-node-class.ts';

/** Under which lists of a class are cached: an edit of its spec misses at once (aws-provider.md section 3). */
export const generationKey = ({ metadata: { uid, generation } }: EC2NodeClass): string => `${uid}-${generation ?? 0}`;
