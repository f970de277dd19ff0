import type { ProviderEntry } from '../catalogue/entry.ts'
import type { Authentication } from '../catalogue/format/authentication.ts'
import { parseTemplate } from '../interpreter/template.ts'

/** A URL of an entry as its file writes it, by its place there. */
export interface UrlTemplate {
  place: string
  text: string
}

/** Every text of an entry that becomes a URL. */
export function urlTemplates(entry: ProviderEntry): UrlTemplate[] {
  const { baseUrl, modules, authentication, healthCheck, postAuthentication = [], file } = entry
  const found: { place: string; text: string | undefined }[] = [
    { place: 'baseUrl', text: baseUrl },
    ...Object.entries(modules).map(([id, module]) => ({ place: `modules.${id}.baseUrl`, text: module.baseUrl })),
    ...[...(file?.sets ?? [])].map(([id, { apiUrl }]) => ({ place: `modules.${id}.apiUrl`, text: apiUrl })),
    ...authentication.flatMap(schemeUrls),
    ...postAuthentication.map(({ name, request }) => ({ place: `postAuthentication ${name}`, text: request?.url })),
    { place: 'healthCheck.url', text: healthCheck?.url },
    {
      place: 'healthCheck.path',
      text: healthCheck?.path === undefined ? undefined : `${baseUrl.replace(/(?<!\/)\/+$/, '')}${healthCheck.path}`,
    },
  ]
  return found.flatMap(({ place, text }) => (text === undefined || text === '' ? [] : [{ place, text }]))
}

function schemeUrls(scheme: Authentication): { place: string; text: string | undefined }[] {
  if (scheme.scheme === 'oauth2') {
    return [
      { place: 'authUrl', text: scheme.authUrl },
      { place: 'tokenUrl', text: scheme.tokenUrl },
      { place: 'refreshUrl', text: scheme.refreshUrl },
    ]
  }
  if (scheme.scheme !== 'custom') return []
  return [
    ...(scheme.steps ?? []).flatMap(({ request, redirect }, step) => [
      { place: `steps.${step}.request.url`, text: request?.url },
      { place: `steps.${step}.redirect.url`, text: redirect?.url },
    ]),
    ...(scheme.token?.steps ?? []).map(({ request }, step) => ({
      place: `token.steps.${step}.request.url`,
      text: request.url,
    })),
    { place: 'token.request.url', text: scheme.token?.request.url },
  ]
}

/** A value for each setting of the provider app that requests of the entry contain. */
export function sampleAppValues({ appValues = [] }: ProviderEntry): Record<string, string> {
  return Object.fromEntries(appValues.map((name) => [name, `sample-app-${name}-7f3a91c2`]))
}

/** A value that fits for every variable that the URLs of an entry name, and for each of its inputs. */
export function sampleValues(entry: ProviderEntry): Record<string, string> {
  const templates = urlTemplates(entry).map(({ text }) => text)
  const names = new Set([
    ...entry.inputs.map(({ name }) => name),
    ...templates.flatMap((text) => parseTemplate(text).variables),
  ])
  const value = (name: string) => {
    const input = entry.inputs.find((one) => one.name === name)
    const label = `sample-${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`
    if (input?.kind === 'url' || templates.some((text) => isWhole(text, name))) return `https://${label}.example.com`
    return input?.kind === 'host' ? `${label}.example.com` : label
  }
  return Object.fromEntries([...names].map((name) => [name, value(name)]))
}

/** Whether the value of a variable is the beginning of the URL: scheme and host come with it. */
export function isWhole(text: string, name: string): boolean {
  const [first] = parseTemplate(text).parts
  return typeof first === 'object' && first.name === name
}
