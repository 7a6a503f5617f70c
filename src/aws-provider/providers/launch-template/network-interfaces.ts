import type {
  ConnectionTrackingSpecificationRequest,
  LaunchTemplateInstanceNetworkInterfaceSpecificationRequest as InterfaceRequest,
} from '@aws-sdk/client-ec2';
import type { ConnectionTracking } from '../../apis/ec2-node-class.ts';
import type { ResolvedTemplate } from './resolved-template.ts';

/**
 * The interfaces of a node: those that the class lists, else as many fabric adapters as pods ask for, else one. Security
 * groups are always on the interfaces, never on the template itself.
 */
export function networkInterfaces(template: ResolvedTemplate): InterfaceRequest[] {
  const { securityGroupIDs, efaCount } = template;
  const Groups = [...securityGroupIDs];
  const carriesIP = ipSettings(template);
  if (template.networkInterfaces.length > 0) {
    return template.networkInterfaces.map(({ networkCardIndex, deviceIndex, interfaceType }) => ({
      NetworkCardIndex: networkCardIndex,
      DeviceIndex: deviceIndex,
      InterfaceType: interfaceType,
      Groups,
      // EC2 refuses addresses for adapters that carry no IP.
      ...(interfaceType === 'efa-only' ? {} : carriesIP),
    }));
  }
  if (efaCount > 0) {
    return Array.from({ length: efaCount }, (_, card) => ({
      NetworkCardIndex: card,
      // The first one has priority over the others.
      DeviceIndex: card === 0 ? 0 : 1,
      InterfaceType: 'efa',
      Groups,
      ...carriesIP,
    }));
  }
  return [{ DeviceIndex: 0, Groups, ...carriesIP }];
}

function ipSettings(template: ResolvedTemplate): InterfaceRequest {
  const { isIPv6, associatePublicIPAddress, ipPrefixCount, connectionTracking } = template;
  return {
    AssociatePublicIpAddress: associatePublicIPAddress,
    ...(isIPv6
      ? { Ipv6PrefixCount: ipPrefixCount, PrimaryIpv6: true, Ipv6AddressCount: 1 }
      : { Ipv4PrefixCount: ipPrefixCount }),
    ConnectionTrackingSpecification: connectionTracking && timeouts(connectionTracking),
  };
}

function timeouts(tracking: ConnectionTracking): ConnectionTrackingSpecificationRequest | undefined {
  const { tcpEstablishedTimeout, udpStreamTimeout, udpTimeout } = tracking;
  if (tcpEstablishedTimeout === undefined && udpStreamTimeout === undefined && udpTimeout === undefined)
    return undefined;
  return {
    TcpEstablishedTimeout: tcpEstablishedTimeout,
    UdpStreamTimeout: udpStreamTimeout,
    UdpTimeout: udpTimeout,
  };
}
