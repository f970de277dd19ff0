import { awsCredentials } from './aws.testkit.ts'
import { azureblob } from './azureblob/index.ts'
import { confirmationOf, objectOf } from './gcs/gcs.testkit.ts'
import { gcs } from './gcs/index.ts'
import { createGoogle, googleCredentials } from './google.testkit.ts'
import type { TargetAnswer, TargetRequest } from './http-target.testkit.ts'
import type { DestinationKind } from './kind.ts'
import { s3 } from './s3/index.ts'

/** A store of objects: its kind, and what a server that plays it answers. */
export interface Store {
  kind: DestinationKind
  settings: (port: number) => object
  /** The answer to an object that was stored. */
  confirmation: TargetAnswer | ((object: TargetRequest) => TargetAnswer)
  /** The object of a request, if it is not the body alone. */
  objectOf?: (request: TargetRequest) => TargetRequest | undefined
  /** What is answered in place of that. */
  gate?: (request: TargetRequest) => Promise<TargetAnswer | undefined>
  /** Path of the objects. */
  prefix: string
}

const storage = createGoogle('https://www.googleapis.com/auth/devstorage.read_write')
export const stores: Record<string, Store> = {
  s3: {
    kind: s3 as DestinationKind,
    settings: (port) => ({
      bucket: 'crm',
      region: 'eu-central-1',
      endpointUrl: `http://127.0.0.1:${port}`,
      ...awsCredentials,
    }),
    confirmation: { status: 200, headers: { etag: '"1"' } },
    objectOf: (request) => ({ ...request, path: request.path.replace(/\?.*/, '') }),
    prefix: '/crm/',
  },
  gcs: {
    kind: gcs as DestinationKind,
    settings: (port) => ({
      bucket: 'crm',
      endpointUrl: `http://127.0.0.1:${port}/`,
      credentials: googleCredentials(`http://127.0.0.1:${port}/token`),
    }),
    confirmation: confirmationOf,
    objectOf,
    gate: (request) => storage.gate(request),
    prefix: '/crm/',
  },
  azureblob: {
    kind: azureblob as DestinationKind,
    settings: (port) => ({
      account: 'crmaccount',
      container: 'crm',
      endpointUrl: `http://127.0.0.1:${port}/crmaccount`,
      accessKey: Buffer.alloc(64, 1).toString('base64'),
    }),
    confirmation: { status: 201, headers: { etag: '"1"' } },
    prefix: '/crmaccount/crm/',
  },
}

/** Keeps the object of a request. Returns its confirmation. */
export function storeObject(
  { prefix, confirmation, objectOf: read }: Store,
  request: TargetRequest,
  objects: Map<string, TargetRequest>,
): TargetAnswer {
  const object = read === undefined ? request : read(request)
  if (object === undefined) return { status: 400 }
  objects.set(decodeURIComponent(object.path.slice(prefix.length)), object)
  return typeof confirmation === 'function' ? confirmation(object) : confirmation
}
