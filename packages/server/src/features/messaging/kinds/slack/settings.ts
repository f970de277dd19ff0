import { isIP } from 'node:net'
import { Type } from 'typebox'
import type { Issue } from '../../../../kernel/http/index.ts'
import { bareHost } from '../../../../kernel/net/index.ts'
import { checkHost } from '../check-host.ts'
import type { KindServices, Read } from '../kind.ts'
import { maskedUrl } from '../masks.ts'
import { definedSettings, SettingsReader } from '../settings-reader.ts'

export interface SlackSettings {
  /** Of an incoming webhook. */
  url: string
}

export const properties = {
  url: Type.String({ description: 'URL of an incoming webhook, such as https://hooks.slack.com/services/…' }),
}

const slackHost = 'hooks.slack.com'
const remedy = 'Copy the URL of an incoming webhook from Slack. It begins with https://hooks.slack.com/services/.'
const refusal = `must be at ${slackHost}, or in a network of MORTISE_ALLOW_PRIVATE_NETWORK.`

export function readSettings(
  input: Record<string, unknown>,
  at: string,
  { guard }: Pick<KindServices, 'guard'>,
): Read<SlackSettings> {
  const read = new SettingsReader(input, at)
  const url = read.url('url', guard, remedy)
  const host = url === '' ? undefined : bareHost(new URL(url))
  if (host !== undefined && isIP(host) !== 0 && !guard.isAllowedPrivate(host)) read.refuse('url', refusal, remedy)
  return { settings: definedSettings<SlackSettings>({ url }), issues: read.issues }
}

/** A host that is not Slack's must be in a private network that the operator allowed. */
export async function checkSettings(
  { url }: SlackSettings,
  at: string,
  services: Pick<KindServices, 'guard' | 'names' | 'project'>,
): Promise<Issue[]> {
  const name = `${at}.url`
  const issues = await checkHost(url, name, services, 'http')
  const host = bareHost(new URL(url))
  if (issues.length > 0 || host === slackHost || isIP(host) !== 0) return issues
  const found = await services.names.resolve(host, services.project).catch(() => [])
  if (found.length > 0 && found.every(({ address }) => services.guard.isAllowedPrivate(address))) return []
  return [{ in: 'body', name, value: maskedUrl(url), detail: `${name} ${refusal}`, remedy }]
}
