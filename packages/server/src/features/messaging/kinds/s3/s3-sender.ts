import { createHash } from 'node:crypto'
import { awsError, signedForAws } from '../aws.ts'
import { createCalls, notDelivered } from '../http-calls.ts'
import type { Sender, SenderServices } from '../kind.ts'
import { metadataHeaders } from '../object-headers.ts'
import { objectKey } from '../object-key.ts'
import { openTemplate } from '../template.ts'
import { objectUrl, type S3Settings } from './settings.ts'

/** Puts one object for each message: its body is the message, its metadata say what it is, and sign it. */
export function openS3(settings: S3Settings, services: SenderServices): Sender {
  const { region, storageClass } = settings
  const template = openTemplate(settings.keyTemplate)
  return {
    async send([message], options) {
      if (!message) return []
      const { time } = options
      const url = objectUrl(settings, objectKey(template, message, services))
      const headers = {
        'content-type': 'application/json',
        'x-amz-content-sha256': createHash('sha256').update(message.body).digest('hex'),
        ...(storageClass !== undefined && { 'x-amz-storage-class': storageClass }),
        ...metadataHeaders('x-amz-meta-', message, services, time),
      }
      const signing = { service: 's3', region, credentials: settings, time }
      const answer = await createCalls(
        services,
        options,
      )(await signedForAws({ method: 'PUT', url, headers, body: message.body }, signing))
      if (answer.status !== 200) return [awsError(url, answer, time)]
      // Every store of this protocol names what it stored.
      if (answer.headers['etag'] === undefined)
        return [notDelivered(url, answer, time, `${url.host} did not confirm the object.`)]
      return [{ outcome: 'delivered', status: answer.status, response: answer.body }]
    },
    close: async () => undefined,
  }
}
