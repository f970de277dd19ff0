import { startHttpTarget, type TargetRequest } from '../http-target.testkit.ts'
import { type Store, storeObject, stores } from '../stores.testkit.ts'

/** Metadata of an object, with the names that headers of a signature have. */
export function metadataOf({ headers }: Pick<TargetRequest, 'headers'>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const [, found] = /^x-(?:amz|goog|ms)-meta-(.*)$/.exec(name) ?? []
      return found === undefined ? [] : [[found.replaceAll('_', '-'), value] as const]
    }),
  )
}

/** Starts a server that plays S3, for a service. */
export async function startObjectStore() {
  const { s3 } = stores as { s3: Store }
  let isFull = false
  let objects: { body: string; metadata: Record<string, string> }[] = []
  const target = await startHttpTarget({
    settings: s3.settings,
    secret: 'unused',
    answer: (request) => {
      if (isFull) return { status: 507 }
      objects.push({ body: request.body.toString(), metadata: metadataOf(request) })
      return storeObject(s3, request, new Map())
    },
  })
  const { awsKeyId, awsSecretKey, awsSessionToken, ...metadata } = target.settings as Record<string, unknown>
  return {
    /** Settings of a destination, as a request gives them. */
    given: { type: 's3', metadata, secrets: { awsKeyId, awsSecretKey, awsSessionToken } },
    /** Returns what was stored since the last call. */
    take() {
      const taken = objects
      objects = []
      return taken
    },
    fill(full: boolean) {
      isFull = full
    },
    stop: target.stop,
  }
}
