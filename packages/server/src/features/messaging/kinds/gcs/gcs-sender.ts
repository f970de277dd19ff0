import { OutboundError } from '../../../../kernel/net/index.ts'
import { startDeadline } from '../deadline.ts'
import { createGoogleCallsOnce } from '../google.ts'
import { type HttpAnswer, jsonOf, notDelivered } from '../http-calls.ts'
import type { Sender, SenderServices, SendOptions, SendResult } from '../kind.ts'
import { waitFor } from '../poll.ts'
import type { StoredObject } from '../record-files/index.ts'
import { openStore } from '../stored-messages.ts'
import { bytesOf } from '../streamed-body.ts'
import { type GcsSettings, objectUrl } from './settings.ts'
import { type Uploaded, uploadObject } from './upload.ts'

const scope = 'https://www.googleapis.com/auth/devstorage.read_write'
/** Larger objects are sent by resumable uploads. */
const resumableFrom = 16 * 2 ** 20
/** How often an upload breaks off, and the store has nothing more of it, before it is given up. */
const breaksMax = 3
const firstWaitMs = 250

/** Puts objects into a bucket. */
export function openGcs(settings: GcsSettings, services: SenderServices): Sender {
  return openStore(settings, services, (object, options) => putObject(settings, services, object, options))
}

async function putObject(
  settings: GcsSettings,
  services: SenderServices,
  object: StoredObject,
  options: SendOptions,
): Promise<SendResult> {
  const calls = createGoogleCallsOnce(settings, { scope, services, options })
  // Of the client, too: it may wait for something else than an answer.
  const deadline = startDeadline(objectUrl(settings, '').host, options)
  try {
    const uploaded = await upload(settings, object, calls, deadline.signal)
    const passed = deadline.passed()
    if (passed && uploaded.answer === undefined) throw passed
    return resultOf(settings, object, uploaded, options)
  } finally {
    deadline.clear()
  }
}

/** Uploads an object. Continues if it breaks off, and renews a token that is refused once. */
async function upload(
  settings: GcsSettings,
  object: StoredObject,
  { send, renew }: ReturnType<typeof createGoogleCallsOnce>,
  signal: AbortSignal,
): Promise<Uploaded> {
  const isResumable = bytesOf(object.body) > resumableFrom
  let [isRenewed, breaks, stored] = [false, 0, 0]
  let session: string | undefined
  for (;;) {
    const uploaded = await uploadObject(settings, send, { object, isResumable, session, signal })
    if (signal.aborted) return uploaded
    session = uploaded.session
    if (!isRenewed && statusOf(uploaded) === 401) {
      isRenewed = true
      renew()
      continue
    }
    if (session === undefined || !isBroken(uploaded)) return uploaded
    breaks = uploaded.stored > stored ? 1 : breaks + 1
    stored = Math.max(stored, uploaded.stored)
    if (breaks > breaksMax) return uploaded
    await waitFor(firstWaitMs * 2 ** (breaks - 1), signal)
  }
}

const statusOf = ({ answer }: Pick<Uploaded, 'answer'>) => (answer && 'headers' in answer ? answer.status : undefined)

/** Whether an upload broke off: its connection did, or the store took only a part of the request. */
function isBroken(uploaded: Uploaded): boolean {
  const { answer, error } = uploaded
  const isCut = answer === undefined && error instanceof OutboundError && error.kind === 'connect'
  return isCut || statusOf(uploaded) === 308
}

function resultOf(
  settings: GcsSettings,
  object: StoredObject,
  { answer, error }: Uploaded,
  { time }: SendOptions,
): SendResult {
  if (answer === undefined) throw error
  if ('outcome' in answer) return answer
  const url = objectUrl(settings, object.key)
  const { status, body } = answer
  if (status !== 200 && status !== 201) return notDelivered(url, answer, time, reasonOf(url, answer))
  if (isConfirmed(settings, object, answer)) return { outcome: 'delivered', status, response: body }
  return notDelivered(url, answer, time, `${url.host} did not confirm the object.`)
}

/** Whether an answer has the number of the version that was stored, which is of this object and complete. */
function isConfirmed({ bucket }: GcsSettings, { key, body }: StoredObject, answer: HttpAnswer): boolean {
  const stored = jsonOf(answer) ?? {}
  return (
    /^\d{1,20}$/.test(String(stored['generation'])) &&
    stored['bucket'] === bucket &&
    stored['name'] === key &&
    String(stored['size']) === String(bytesOf(body))
  )
}

/** A sentence with the reason that the JSON API gives, such as `notFound`. */
function reasonOf(url: URL, answer: HttpAnswer): string | undefined {
  const error = jsonOf(answer)?.['error'] as { errors?: unknown } | undefined
  const first: unknown = Array.isArray(error?.errors) ? error.errors[0] : undefined
  const reason: unknown = typeof first === 'object' && first !== null ? Reflect.get(first, 'reason') : undefined
  const shown = typeof reason === 'string' ? /^[A-Za-z]{3,60}$/.exec(reason)?.[0] : undefined
  return shown === undefined ? undefined : `${url.host} answered ${answer.status} (${shown}).`
}
