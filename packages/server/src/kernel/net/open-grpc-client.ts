import { isIP } from 'node:net'
import type { ChannelOptions, Client } from '@grpc/grpc-js'
import type { AnyDefinition, ServiceDefinition } from '@grpc/proto-loader'
import type { AddressGuard } from './address-guard.ts'
import { shownHost } from './dial.ts'
import type { Names } from './names/name-resolver.ts'
import { asOutboundError, OutboundError } from './outbound-error.ts'
import { privateNetworkRemedy } from './url-rules.ts'

/** A gRPC service that a provider file names. */
export interface GrpcTarget {
  host: string
  port: number
  guard: AddressGuard
  names: Names
  /** Project of the connection: lookups of uncached names are limited by project. */
  project: string
  /** Largest message in bytes, after decompression. */
  messageBytesMax: number
}

/** Description of messages and services, as protobuf.js has it in JSON. */
export type GrpcSchema = Parameters<typeof import('@grpc/proto-loader')['fromJSON']>[0]

/**
 * Opens a client for a gRPC service, with TLS, behind the address guard. It resolves the name once, checks every
 * address, and gives the library nothing but these addresses: it never resolves the name again. The certificate must be
 * that of the name. The connection is opened with the first call.
 *
 * @param service full name of the service in the schema
 * @throws OutboundError
 */
export async function openGrpcClient(target: GrpcTarget, schema: GrpcSchema, service: string): Promise<Client> {
  const address = await checkedTarget(target)
  // Loaded with the first client: most services have no stream.
  const [grpc, loader] = await Promise.all([import('@grpc/grpc-js'), import('@grpc/proto-loader')])
  const definition = loader.fromJSON(schema, { keepCase: true, longs: String, defaults: true, enums: String })[service]
  if (!isService(definition)) throw new Error(`The schema has no service ${service}.`)
  const Service = grpc.makeGenericClientConstructor(definition, service)
  return new Service(address, grpc.credentials.createSsl(), optionsOf(target))
}

function isService(definition: AnyDefinition | undefined): definition is ServiceDefinition {
  return definition !== undefined && !('format' in definition)
}

function optionsOf({ host, port, messageBytesMax }: GrpcTarget): ChannelOptions {
  return {
    'grpc.default_authority': shownHost(host, port),
    ...(isIP(host) === 0 && { 'grpc.ssl_target_name_override': host }),
    'grpc.max_receive_message_length': messageBytesMax,
    // The connection ends with its client, and no proxy of the environment takes it elsewhere.
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_http_proxy': 0,
    'grpc.enable_retries': 0,
    'grpc.enable_channelz': 0,
    'grpc.service_config_disable_resolution': 1,
  }
}

/** Returns the checked addresses of a host, as a target that needs no resolution. */
async function checkedTarget({ host, port, guard, names, project }: GrpcTarget): Promise<string> {
  const shown = shownHost(host, port)
  const found = await names.resolve(host, project).catch((error: unknown) => {
    throw asOutboundError(error, shown)
  })
  if (found.length === 0 || found.some(({ address }) => guard.refused(address)))
    throw new OutboundError('refused_address', `${shown} is not at a public address.`, { remedy: privateNetworkRemedy })
  // The library accepts addresses of one family.
  const family = found[0]?.family === 6 ? 6 : 4
  const listed = found.filter((one) => one.family === family).map(({ address }) => shownHost(address, port))
  return `ipv${family}:${listed.join(',')}`
}
