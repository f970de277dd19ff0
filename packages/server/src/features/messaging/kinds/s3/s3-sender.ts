import { sendToAws } from '../aws-client.ts'
import { createCalls } from '../http-calls.ts'
import type { Sender, SenderServices } from '../kind.ts'
import { metadataHeaders } from '../object-headers.ts'
import { openStore } from '../stored-messages.ts'
import { partsOf } from '../streamed-body.ts'
import { receiptOf } from './receipts.ts'
import { contentOf, createS3, type S3 } from './s3-client.ts'
import { objectUrl, type S3Settings } from './settings.ts'
import { uploadParts } from './upload-parts.ts'

/** Puts objects into a bucket. The store joins the parts of large ones. */
export function openS3(settings: S3Settings, services: SenderServices): Sender {
  const { bucket, storageClass } = settings
  let opened: Promise<S3> | undefined
  return openStore(settings, services, async ({ key, contentType, body, metadata }, options) => {
    opened ??= createS3(settings)
    const s3 = await opened
    const url = objectUrl(settings, key)
    const object = {
      Bucket: bucket,
      Key: key,
      ContentType: contentType,
      Metadata: metadataHeaders('', metadata),
      ...(storageClass !== undefined && { StorageClass: storageClass as 'STANDARD' }),
    }
    const parts = partsOf(body)
    if (parts.length > 1) return uploadParts({ s3, url, object, parts }, services, options)
    const put = new s3.library.PutObjectCommand({ ...object, ...contentOf(parts[0] ?? Buffer.of()) })
    const sent = await sendToAws(createCalls(services, options), (by) => s3.client.send(put, by))
    return receiptOf(url, sent.answer, options.time)
  })
}
