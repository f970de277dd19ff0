import { awsError, signedForAws } from '../aws.ts'
import { createCalls, type HttpAnswer, notDelivered, xmlCode } from '../http-calls.ts'
import type { Sender, SenderServices } from '../kind.ts'
import { metadataHeaders } from '../object-headers.ts'
import { openStore } from '../stored-messages.ts'
import { sha256Of } from '../streamed-body.ts'
import { objectUrl, type S3Settings } from './settings.ts'

/** Puts objects into a bucket. */
export function openS3(settings: S3Settings, services: SenderServices): Sender {
  const { region, storageClass } = settings
  return openStore(settings, services, async ({ key, contentType, body, metadata }, options) => {
    const { time } = options
    const url = objectUrl(settings, key)
    const headers = {
      'content-type': contentType,
      'x-amz-content-sha256': sha256Of(body),
      ...(storageClass !== undefined && { 'x-amz-storage-class': storageClass }),
      ...metadataHeaders('x-amz-meta-', metadata),
    }
    const signing = { service: 's3', region, credentials: settings, time }
    const call = createCalls(services, options)
    const answer = await call(await signedForAws({ method: 'PUT', url, headers, body }, signing))
    // Some stores answer the status before they know the result.
    if (answer.status !== 200 || xmlCode(answer) !== undefined) return awsError(url, answer, time)
    // Every store of this protocol names what it stored. A page of a proxy can have such a header, too.
    if (answer.headers['etag'] === undefined || isPage(answer))
      return notDelivered(url, answer, time, `${url.host} did not confirm the object.`)
    return { outcome: 'delivered', status: answer.status, response: answer.body }
  })
}

/** By the body alone: some stores confirm an object with an empty answer of the type of a page. */
function isPage({ body }: HttpAnswer): boolean {
  return /^<(?:!doctype|html)/.test(body.subarray(0, 100).toString().trimStart().toLowerCase())
}
