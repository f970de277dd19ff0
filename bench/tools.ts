import { type Benchmark, runAlone } from './benchmark.ts'
import { median, quantile, rounded } from './measure/statistics.ts'
import type { Load, Loaded } from './rig/load.ts'
import type { McpClients } from './rig/mcp-clients.ts'
import { startPart } from './rig/part.ts'
import { type Service, startService } from './rig/service.ts'
import { fullOrShort } from './rig/short.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

const connections = 16
const roundMs = fullOrShort(1_000, 100)
const rounds = fullOrShort(12, 2)
/** Until code that runs often has been compiled. */
const warmUps = fullOrShort(4, 1)
const calls = fullOrShort(1_000, 100)
const lists = fullOrShort(40, 5)
const installations = 20
const objects = Array.from({ length: 30 }, (_, number) => `things${String(number + 1).padStart(2, '0')}`)
/** More than a run has. */
const callsPerMinute = 6_000
/** Groups, so that none reaches its limit. */
const groups = 40
/** As fast as providers answer at best. */
const providerMs = 50
const addedMostMs = 3
const mcpClients = fullOrShort(1_000, 50)
const mcpMostMb = 100
const listMostMs = 50

/**
 * A provider and the service, each a process, and a process that asks. In turns, the same record is read by a tool and
 * through the proxy: of a provider that answers immediately, and of one that takes 50 ms. Then, one request at a time:
 * what a tool adds to the proxy. Then the list of tools of a group with 20 installations of 30 objects. At last, the
 * memory of clients by MCP that have initialized and are idle.
 */
export const tools: Benchmark = {
  name: 'tools',
  measures: 'calls of a tool that reads a record ÷ the same request through the proxy',
  goal: { least: 0.6 },
  async run(say) {
    await using folder = await temporaryFolder()
    await using provider = await startPart('./proxied-provider.ts')
    const providerUrl = await provider.ask<string>('url')
    await using service = await startService(folder.path, {
      MORTISE_ALLOW_PRIVATE_NETWORK: 'loopback',
      MORTISE_PROXY_CONCURRENCY: '64',
    })
    await using load = await startPart('./load.ts')
    const installed = await install(service, providerUrl)
    let group = 0
    const byTool = () => {
      const { groupRef } = installed.groups[group++ % groups] as { groupRef: string }
      return load.ask<Loaded>('run', { ...toolCall(service, groupRef), connections, ms: roundMs } satisfies Load)
    }
    const byProxy = () => load.ask<Loaded>('run', { ...installed.proxied, connections, ms: roundMs } satisfies Load)
    for (let n = 0; n < warmUps; n++) {
      await byTool()
      await byProxy()
    }
    const perSecond = { tool: [] as number[], proxy: [] as number[] }
    for (let round = 0; round < rounds; round++)
      for (const side of round % 2 === 0 ? (['proxy', 'tool'] as const) : (['tool', 'proxy'] as const))
        perSecond[side].push((await (side === 'tool' ? byTool() : byProxy())).perSecond)
    const ratio = median(perSecond.tool.map((one, round) => one / (perSecond.proxy[round] ?? one)))
    say(`${median(perSecond.tool).toFixed(0)}/s ÷ ${median(perSecond.proxy).toFixed(0)}/s`)

    await provider.ask('delay', providerMs)
    const slow: number[] = []
    for (let round = 0; round < rounds / 2; round++) slow.push((await byTool()).perSecond / (await byProxy()).perSecond)
    await provider.ask('delay', 0)
    say(`${median(slow).toFixed(2)} with a provider that takes ${providerMs} ms`)

    const times = { tool: [] as number[], proxy: [] as number[] }
    for (let n = 0; n < calls; n++) {
      const { groupRef } = installed.groups[n % groups] as { groupRef: string }
      times.tool.push(await timed(toolCall(service, groupRef)))
      times.proxy.push(await timed(installed.proxied))
    }
    const added = median(times.tool) - median(times.proxy)
    say(`adds ${added.toFixed(2)} ms at p50, at one connection`)

    const list = { url: `${service.url}/v1/projects/default/tools?groupRef=many`, headers: key(service) }
    const listed: number[] = []
    for (let n = 0; n < lists + 5; n++) listed.push(await timed(list))
    const warm = listed.slice(5)
    say(`${median(warm).toFixed(1)} ms for the tools of ${installations} installations of ${objects.length} objects`)
    const mcpMb = await mcpMemory(service)
    say(`${mcpMb.toFixed(1)} MB for ${mcpClients} idle clients by MCP`)
    return {
      value: ratio,
      holds: added < addedMostMs && median(warm) < listMostMs && mcpMb < mcpMostMb,
      details: {
        perSecond: { tool: rounded(median(perSecond.tool)), proxy: rounded(median(perSecond.proxy)) },
        withSlowProvider: { providerMs, ratio: rounded(median(slow)) },
        addedMs: { p50: rounded(added), most: addedMostMs },
        listMs: {
          p50: rounded(median(warm)),
          p99: rounded(quantile(warm, 0.99)),
          first: rounded(listed[0] ?? 0),
          most: listMostMs,
        },
        mcpClientsMb: { added: rounded(mcpMb), most: mcpMostMb },
      },
    }
  },
}

const key = (service: Service) => ({ 'x-api-key': service.apiKey })

function toolCall(service: Service, groupRef: string) {
  return {
    url: `${service.url}/v1/projects/default/tools/get_things01_bench0:call`,
    headers: { ...key(service), 'content-type': 'application/json' },
    body: JSON.stringify({ groupRef, arguments: { id: '1' } }),
  }
}

/** Installs one integration for each group of calls, and all of them for the group `many`. */
async function install(service: Service, url: string) {
  const provider = 'benchTools'
  const integrations = Array.from({ length: installations }, (_, number) => ({
    name: `bench${number}`,
    provider,
    read: { objects: objects.map((objectName) => ({ objectName, destination: 'none', optionalFieldsAuto: 'all' })) },
    proxy: { enabled: true },
    agent: {
      objects: objects.map((objectName) => ({ objectName, actions: ['search', 'get', 'list'] })),
      limits: { callsPerMinute },
    },
  }))
  await service.call('PUT', '/integrations:batch', {
    sourceYaml: JSON.stringify({ specVersion: '1.0.0', integrations }),
  })
  const read = { objects: Object.fromEntries(objects.map((name) => [name, { selectedFieldsAuto: 'all' }])) }
  const config = { content: { provider, read, proxy: { enabled: true } } }
  const one = async (groupRef: string, names: string[]) => {
    const account = { provider, apiKey: 'bench', providerMetadata: { url } }
    const body = { groupRef, consumerRef: groupRef, ...account }
    const { id: connectionId } = await service.call<{ id: string }>('POST', '/connections:generate', body)
    let installationId = ''
    for (const name of names) {
      const path = `/integrations/${name}/installations?skipSampling=true`
      installationId = (await service.call<{ id: string }>('POST', path, { groupRef, connectionId, config })).id
    }
    return { groupRef, installationId }
  }
  const installed: { groupRef: string; installationId: string }[] = []
  for (let number = 0; number < groups; number++) installed.push(await one(`group${number}`, ['bench0']))
  const names = integrations.map(({ name }) => name)
  await one('many', names)
  const proxied = {
    url: `${service.url}/proxy/things/1`,
    headers: {
      ...key(service),
      'x-mortise-proxy-version': '1',
      'x-mortise-project-id': 'default',
      'x-mortise-installation-id': installed[0]?.installationId ?? '',
    },
  }
  return { groups: installed, proxied }
}

/** Returns the resident memory that idle clients add, in MB. A few come and go first, so that the library is loaded. */
async function mcpMemory(service: Service): Promise<number> {
  await using clients = await startPart('./mcp-clients.ts')
  const asked = { url: `${service.url}/mcp/v1/projects/default?groupRef=group0`, headers: key(service) }
  await clients.ask('initialize', { ...asked, clients: 100 } satisfies McpClients)
  await clients.ask('disconnect')
  const { resident: idle } = await service.memory()
  await clients.ask('initialize', { ...asked, clients: mcpClients } satisfies McpClients)
  const { resident } = await service.memory()
  return (resident - idle) / 1_000_000
}

/** Milliseconds of one request. @throws when the answer is not 200 */
async function timed({ url, headers, body }: { url: string; headers: Record<string, string>; body?: string }) {
  const began = performance.now()
  const answer = await fetch(url, { headers, ...(body !== undefined && { method: 'POST', body }) })
  const text = await answer.text()
  if (answer.status !== 200 || text.includes('"isError":true')) throw new Error(`${url}: ${answer.status} ${text}`)
  return performance.now() - began
}

if (import.meta.main) process.exitCode = (await runAlone(tools)) ? 0 : 1
