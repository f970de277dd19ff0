import type { ServerResponse } from 'node:http'
import { type PassThroughInput, passThrough } from '../../../kernel/http/index.ts'
import { createOutboundPassThrough } from '../../../kernel/net/index.ts'
import type { CountBuffer } from '../../platform/counts/index.ts'
import type { ConnectionHandle } from '../calls/index.ts'
import { createBaseOf } from './base-of.ts'
import { type CallHeaders, readCallHeaders } from './call-headers.ts'
import { createCallLog } from './call-log.ts'
import { proxyDeclaration } from './declaration.ts'
import { type CallEnd, loggedCall } from './logged-call.ts'
import { createMeter } from './meter.ts'
import { ProxyNotEnabled, ProxyPathRefused, ProxyThrottled } from './problems.ts'
import { providerPath } from './provider-path.ts'
import { asProxyProblem } from './proxy-problem.ts'
import type { ProxyServices } from './proxy-services.ts'
import { createSend } from './send.ts'
import type { TargetRow } from './target-store.ts'
import { createTargets } from './targets.ts'
import { throttleHeaders } from './throttle-headers.ts'
import { createWaits } from './waits.ts'

/**
 * Creates the proxy of a node: the pass-through of requests, and its caches. The fast path of a call reads four caches
 * (key, target, connection, share of the limit) and runs no statement.
 */
export function createProxy(services: ProxyServices) {
  const { guard, names, limits, connectionHandles, now } = services
  const { proxyConcurrency, proxyTimeoutMs } = services.config
  const outbound = createOutboundPassThrough({ guard, names, headersTimeoutMs: proxyTimeoutMs })
  const waits = createWaits(services)
  const targets = createTargets(services, waits.received)
  const callLog = createCallLog(services)
  const meter = createMeter(services.metrics)
  const send = createSend({
    ...{ outbound, limits, waits, now, concurrency: proxyConcurrency, baseOf: createBaseOf(guard) },
    sent: (target, projectId, isFailure) => countCall(services.counts, projectId, target, isFailure),
  })

  async function run(input: PassThroughInput): Promise<void> {
    const begun = performance.now()
    const { request, response, project } = input
    const call = readCallHeaders(request.headers)
    // What people send by hand is always among the operations, with their name.
    const isLogged = call.isLogged || input.caller.kind === 'builder'
    const path = providerPath(input.url)
    if (input.credential !== '' && path.includes(input.credential))
      throw new ProxyPathRefused({ detail: 'The URL holds the credential of this service.', remedy: 'Leave it out.' })
    const found = targets.find(project.id, call.name)
    // Await only promises: a cached target needs no tick.
    const target = found instanceof Promise ? await found : found
    let sent = { out: 0, in: 0 }
    try {
      assertEnabled(target)
      const { connectionId } = target
      const handle = target.peekHandle() ?? (await connectionHandles.open(project.id, connectionId))
      assertNotWaiting(input, call, handle)
      sent = await send({ input, path, target, handle, throttles: call.throttles })
    } catch (error) {
      const problem = asProxyProblem(error)
      meter.count(target.provider, problem.declaration.status, begun, sent)
      if (isLogged)
        log(input, target, path, { status: problem.declaration.status, begun, bytes: sent, error: problem.message })
      // Reads and drops the rest of the body, so that its sender receives the response.
      request.resume()
      throw problem
    }
    meter.count(target.provider, response.statusCode, begun, sent)
    if (isLogged)
      log(input, target, path, { status: response.statusCode, begun, bytes: sent, error: brokenOff(response) })
  }

  function assertNotWaiting(input: PassThroughInput, { throttles }: CallHeaders, handle: ConnectionHandle): void {
    if (!throttles) return
    const until = later(waits.until(handle.id), handle.rateLimitedUntil)
    if (until === undefined || until <= now()) return
    for (const [name, value] of Object.entries(throttleHeaders(until))) input.setHeader(name, value)
    throw new ProxyThrottled({ retryAfter: until })
  }

  function log(input: PassThroughInput, target: TargetRow, path: string, end: CallEnd): void {
    callLog.add(loggedCall(services, input, target, path, end))
  }

  return {
    passThrough: passThrough<ProxyServices>({ ...proxyDeclaration, run }),
    async stop(): Promise<void> {
      targets.stop()
      await outbound.close()
      await callLog.stop()
    },
  }
}

function countCall(counts: CountBuffer, projectId: string, { installationId }: TargetRow, isFailure: boolean): void {
  const of = { projectId, installationId, objectName: '' }
  counts.add(of, { providerCalls: 1, failedProviderCalls: isFailure ? 1 : 0 })
}

/** Requires that the manifest allows the proxy, and that the config does not forbid it (contract 6.7). */
function assertEnabled({ proxy, allowed }: TargetRow): void {
  if (proxy?.enabled !== true) throw new ProxyNotEnabled()
  if (allowed === false)
    throw new ProxyNotEnabled({
      detail: 'The config of the installation does not allow the proxy.',
      remedy: 'Set `proxy.enabled` of its config to true, or leave it out.',
    })
}

function later(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one > other ? one : other
}

function brokenOff({ writableFinished, destroyed }: ServerResponse): string | undefined {
  return destroyed && !writableFinished ? 'broke off' : undefined
}
