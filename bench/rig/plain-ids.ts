import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { createConnector, loadCatalogue } from '@mortise/providers'
import { createProviderHttp } from '../../packages/server/src/features/provider-calls/calls/index.ts'
import { createAddressGuard, createOutbound, parseAllowedNetworks } from '../../packages/server/src/kernel/net/index.ts'
import { servePart } from './part.ts'

/** Lists all ids of an account with the connector of the service, and keeps nothing. */

const catalogue = await loadCatalogue({ providerDirs: [fileURLToPath(new URL('../providers', import.meta.url))] })
const guard = createAddressGuard({ allow: parseAllowedNetworks('loopback') })
const outbound = createOutbound({ guard, userAgent: 'Mortise' })

async function list(url: string): Promise<number> {
  const entry = catalogue.find('benchIds')
  if (!entry) throw new Error('there is no provider benchIds')
  const connector = createConnector(
    entry,
    { metadata: { url }, credential: { scheme: 'apiKey', apiKey: 'bench' } },
    createProviderHttp({ outbound, now: () => new Date(), project: 'bench' }),
  )
  let ids = 0
  let page: string | undefined
  do {
    const request = { object: 'contacts', fields: [], idsOnly: true }
    const read = await connector.readPage(page === undefined ? request : { ...request, page })
    ids += read.records.length
    page = read.nextPage
  } while (page !== undefined)
  return ids
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

servePart({ list, cpuMs })
