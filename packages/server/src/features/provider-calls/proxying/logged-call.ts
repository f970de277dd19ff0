import { authorOf, type PassThroughInput } from '../../../kernel/http/index.ts'
import type { ProxyServices } from './proxy-services.ts'
import type { TargetRow } from './target-store.ts'

/** How a call ended. */
export interface CallEnd {
  status: number
  /** When it began, by `performance.now()`. */
  begun: number
  bytes: { out: number; in: number }
  /** Why no whole response was sent. */
  error: string | undefined
}

/** Returns a call as the operation that its caller sees, with one log line without the query: it may have secrets. */
export function loggedCall(
  { now, newId }: Pick<ProxyServices, 'now' | 'newId'>,
  { request, project, caller }: PassThroughInput,
  target: TargetRow,
  path: string,
  { status, begun, bytes, error }: CallEnd,
) {
  const ended = now()
  const ms = Math.round(performance.now() - begun)
  const [pathname = ''] = path.split('?', 1)
  const failed = error !== undefined || status >= 400
  const result = `${request.method} ${pathname.slice(0, 500)}: ${error ?? status}`
  return {
    projectId: project.id,
    id: newId(),
    integrationId: target.integrationId,
    installationId: target.installationId,
    configId: target.configId,
    actionType: 'proxy' as const,
    status: failed ? ('failure' as const) : ('success' as const),
    result,
    begun: new Date(ended.getTime() - ms),
    ended,
    line: {
      severity: failed ? ('ERROR' as const) : ('INFO' as const),
      msg: result,
      details: {
        status: `${status}`,
        ms: `${ms}`,
        bytesSent: `${bytes.out}`,
        bytesReceived: `${bytes.in}`,
        ...(caller.kind === 'builder' && { sentBy: authorOf(caller) }),
      },
    },
  }
}
