import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { UnacceptableInput } from '../../../../kernel/http/index.ts'
import { type Outbound, OutboundError } from '../../../../kernel/net/index.ts'
import { findUploadBody, uploadBytesMax, uploadIdOf } from '../../uploads/index.ts'
import { manifestInZip } from './manifest-in-zip.ts'
import { SourceRefused } from './source-refused.ts'

export interface SourceBody {
  sourceYaml?: string
  sourceZipUrl?: string
}

export interface Source {
  yaml: string
  /** The upload that it came from; a deploy uses it up. */
  uploadId?: string
}

export interface SourceServices {
  outbound: Pick<Outbound, 'request'>
  publicUrl: string
}

const downloadMs = 30_000
const redirectsMax = 3

/**
 * The text of the manifest that a body names. Reaches the network: never call it inside a transaction.
 *
 * @throws UnacceptableInput (422) with the one reason why there is no manifest
 */
export async function readSource(
  db: ProjectDb,
  { sourceYaml, sourceZipUrl }: SourceBody,
  services: SourceServices,
  signal: AbortSignal,
): Promise<Source> {
  const name = sourceZipUrl === undefined ? 'sourceYaml' : 'sourceZipUrl'
  try {
    if (sourceYaml !== undefined && sourceZipUrl === undefined) return { yaml: sourceYaml }
    if (sourceYaml !== undefined || sourceZipUrl === undefined) {
      const subject =
        sourceYaml === undefined ? 'Neither sourceYaml nor sourceZipUrl is' : 'Both sourceYaml and sourceZipUrl are'
      throw new SourceRefused('one-source', `${subject} given.`, 'Send exactly one of the two.')
    }
    const { zip, uploadId } = await readZip(db, sourceZipUrl, services, signal)
    return { yaml: await manifestInZip(zip), ...(uploadId && { uploadId }) }
  } catch (error) {
    if (!(error instanceof SourceRefused)) throw error
    throw new UnacceptableInput({
      issues: [
        {
          in: 'body',
          name,
          ...(sourceZipUrl !== undefined && { value: sourceZipUrl }),
          detail: error.message,
          remedy: error.remedy,
          context: { rule: error.rule },
        },
      ],
      cause: error.cause,
    })
  }
}

async function readZip(
  db: ProjectDb,
  text: string,
  { outbound, publicUrl }: SourceServices,
  signal: AbortSignal,
): Promise<{ zip: Buffer; uploadId?: string }> {
  if (!URL.canParse(text))
    throw new SourceRefused(
      'source-url',
      'sourceZipUrl is not a URL.',
      'Send an absolute https URL, or gs://{bucket}/{path} of an upload.',
    )
  const url = new URL(text)
  const uploadId = uploadIdOf(url, publicUrl)
  if (uploadId === undefined) return { zip: await download(url, outbound, db.projectId, signal) }
  const zip = await findUploadBody(db, uploadId)
  if (!zip)
    throw new SourceRefused(
      'source-upload',
      'There is no such upload: nothing was uploaded, it has been deployed already, or it has expired.',
      'Ask GET /generate-upload-url for a URL, PUT the zip to it, then deploy within 15 minutes.',
    )
  return { zip, uploadId }
}

async function download(
  url: URL,
  outbound: Pick<Outbound, 'request'>,
  project: string,
  signal: AbortSignal,
): Promise<Buffer> {
  try {
    const { status, body } = await outbound.request({
      method: 'GET',
      url,
      headers: { accept: 'application/zip, application/octet-stream, */*;q=0.1' },
      timeoutMs: downloadMs,
      maxBytes: uploadBytesMax,
      redirects: redirectsMax,
      project,
      signal,
    })
    if (status === 200) return body
    throw new SourceRefused(
      'source-download',
      `${url.host} answered with status ${status}.`,
      'Send the URL of a zip that needs no sign-in.',
    )
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    const remedy = error.remedy ?? 'Check the URL, or upload the zip through GET /generate-upload-url.'
    throw new SourceRefused('source-download', error.message, remedy, error)
  }
}
