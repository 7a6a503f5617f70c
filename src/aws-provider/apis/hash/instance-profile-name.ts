import { hashText } from '../../../apis/structure-hash.ts';

/** The name of the profile that earlier versions made for a class, one for all of its roles (aws-provider.md section 13). */
export function legacyInstanceProfileName(nodeClassName: string, clusterName: string, region: string): string {
  return `${clusterName}_${hashText(`${region}${nodeClassName}`)}`;
}

/** A name for a new profile of a class; the UUID makes it one of its own for each role that the class has had. */
export function newInstanceProfileName(
  nodeClassName: string,
  clusterName: string,
  region: string,
  uuid: string,
): string {
  return legacyInstanceProfileName(`${nodeClassName}${uuid}`, clusterName, region);
}
