import type { IncomingHttpHeaders } from 'node:http'
import { headerAliases, headerOf, type Issue } from '../../../kernel/http/index.ts'
import { ProxyHeadersInvalid } from './problems.ts'
import type { TargetName } from './target-store.ts'

/** What the headers of a request say to the proxy. */
export interface CallHeaders {
  name: TargetName
  /** Answers 429 itself while the provider wants to be left alone. */
  throttles: boolean
  /** Shows the call among the operations of its installation. */
  isLogged: boolean
}

/** @throws ProxyHeadersInvalid, with all that is missing or wrong */
export function readCallHeaders(headers: IncomingHttpHeaders): CallHeaders {
  const version = headerOf(headers, 'x-mortise-proxy-version')
  const project = headerOf(headers, 'x-mortise-project-id')
  const installationId = headerOf(headers, 'x-mortise-installation-id')
  const integration = headerOf(headers, 'x-mortise-integration-name')
  const groupRef = headerOf(headers, 'x-mortise-group-ref')
  const mode = headerOf(headers, 'x-mortise-rate-limiter-mode')
  const log = headerOf(headers, 'x-mortise-log')
  const isNamed = installationId || (integration && groupRef)
  if (version === '1' && project && isNamed && (mode === undefined || mode.toLowerCase() === 'throttle'))
    return {
      name: installationId ? { installationId } : { integration: integration ?? '', groupRef: groupRef ?? '' },
      throttles: mode !== undefined,
      isLogged: log?.toLowerCase() === 'true',
    }

  const issues: Issue[] = []
  const missing = (name: keyof typeof headerAliases, what: string) =>
    issues.push({
      in: 'header',
      name,
      detail: `${what} is missing.`,
      remedy: `Set ${name} (or ${headerAliases[name]}).`,
    })
  if (!version) missing('x-mortise-proxy-version', 'The version of the proxy')
  else if (version !== '1')
    issues.push({
      in: 'header',
      name: 'x-mortise-proxy-version',
      value: version,
      detail: 'There is no such version of the proxy.',
      remedy: 'Set it to 1.',
    })
  if (!project) missing('x-mortise-project-id', 'The id of the project')
  if (!isNamed && !integration && !groupRef)
    issues.push({
      in: 'header',
      name: 'x-mortise-installation-id',
      detail: 'Nothing names the installation.',
      remedy: 'Set x-mortise-installation-id, or x-mortise-integration-name and x-mortise-group-ref.',
    })
  else if (!isNamed && !integration) missing('x-mortise-integration-name', 'The name of the integration')
  else if (!isNamed) missing('x-mortise-group-ref', 'The group')
  if (mode !== undefined && mode.toLowerCase() !== 'throttle')
    issues.push({
      in: 'header',
      name: 'x-mortise-rate-limiter-mode',
      value: mode,
      detail: 'There is no such mode.',
      remedy: 'Set it to throttle, or leave it out.',
    })
  throw new ProxyHeadersInvalid({ issues })
}
