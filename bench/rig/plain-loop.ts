import { fileURLToPath } from 'node:url'
import { createConnector, loadCatalogue } from '@mortise/providers'
import {
  newSigningSecret,
  signatureHeaders,
  signingKey,
} from '../../packages/server/src/features/messaging/kinds/signing.ts'
import { webhook } from '../../packages/server/src/features/messaging/kinds/webhook/index.ts'
import {
  cutDataMessages,
  type DataMessageHeader,
  messageBytesMax,
} from '../../packages/server/src/features/messaging/messages/data-message.ts'
import { createProviderHttp } from '../../packages/server/src/features/provider-calls/calls/index.ts'
import { streamPages } from '../../packages/server/src/features/sync/reading/page-stream.ts'
import { recordEntry, wantedFields } from '../../packages/server/src/features/sync/reading/record-entry.ts'
import { newId } from '../../packages/server/src/kernel/db/index.ts'
import { createAddressGuard, createOutbound, parseAllowedNetworks } from '../../packages/server/src/kernel/net/index.ts'
import { selection } from './bench-crm.ts'
import { servePart } from './part.ts'

/**
 * What the service does between provider and receiver, with nothing kept: the same connector fetches ahead as far, the
 * same rules map records and cut messages, the same client posts them, signed the same way and as many side by side.
 */

export interface PlainRun {
  providerUrl: string
  receiverUrl: string
  pages: number
  /** Each page is posted before the next is fetched. */
  oneByOne: boolean
}

const catalogue = await loadCatalogue({ providerDirs: [fileURLToPath(new URL('../providers', import.meta.url))] })
const guard = createAddressGuard({ allow: parseAllowedNetworks('loopback') })
const outbound = createOutbound({ guard, userAgent: 'Mortise' })
const keys = [signingKey(newSigningSecret())]

async function run({ providerUrl, receiverUrl, pages, oneByOne }: PlainRun): Promise<void> {
  const entry = catalogue.find('benchCrm')
  if (!entry) throw new Error('there is no provider benchCrm')
  const connector = createConnector(
    entry,
    { metadata: { url: providerUrl, pages: String(pages) }, credential: { scheme: 'apiKey', apiKey: 'bench' } },
    createProviderHttp({ outbound, now: () => new Date(), project: 'bench' }),
  )
  const url = new URL(receiverUrl)
  const header = dataHeader()
  const posting = new Set<Promise<void>>()

  const post = async (body: Buffer) => {
    const id = newId()
    const { status } = await outbound.request({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', ...signatureHeaders(keys, id, new Date(), body) },
      body,
      timeoutMs: 15_000,
      maxBytes: 65_536,
      tooLarge: 'truncate',
      bodyWanted: false,
    })
    if (status !== 204) throw new Error(`the receiver answered ${status}`)
  }
  const stream = streamPages(
    { connector, entry: recordEntry(selection, { withIds: true }), calls: [] },
    { object: 'contacts', fields: wantedFields(selection) },
  )
  for (let ended = false; !ended; ) {
    for (const page of await stream.take()) {
      for (const { payload } of cutDataMessages(header, page.entries, { messageBytesMax })) {
        const sent = post(payload).finally(() => posting.delete(sent))
        posting.add(sent)
        if (oneByOne || posting.size >= webhook.limits.concurrency) await Promise.race(posting)
      }
      ended = page.nextPage === undefined
    }
  }
  await Promise.all(posting)
}

/** As long as the service's own. */
function dataHeader(): DataMessageHeader {
  const time = new Date().toISOString()
  return {
    action: 'read',
    projectId: newId(),
    provider: 'benchCrm',
    groupRef: 'customer-0',
    groupName: 'customer-0',
    consumerRef: 'customer-0',
    consumerName: 'customer-0',
    installationId: newId(),
    installationUpdateTime: time,
    objectName: 'contacts',
    rawObjectName: 'contacts',
    operationId: newId(),
    operationTime: time,
    readType: 'backfill',
  }
}

servePart({ run })
