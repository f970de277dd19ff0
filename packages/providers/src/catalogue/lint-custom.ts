import { head, takenNames, tokenRequests } from '../custom/custom-scheme.ts'
import { isObject } from '../interpreter/path.ts'
import { parseTemplate } from '../interpreter/template.ts'
import type { Flaw } from './flaw.ts'
import type { CustomAuthentication, CustomRequest, CustomStep } from './format/custom-authentication.ts'
import { type DeclaredValue, httpToken, lintBase } from './lint-base.ts'

/** Ours: nobody else gives them a value. */
const systemNames = ['redirectUri', 'state', 'assertion']

/**
 * What the schema cannot say of custom authentication: who gives each variable its value, and in which order.
 *
 * @param values what every connection of this provider carries
 */
export function lintCustom(path: Flaw['path'], scheme: CustomAuthentication, values: readonly DeclaredValue[]): Flaw[] {
  const { steps = [], token, multiStep = false } = scheme
  const inputNames = [...(scheme.inputs ?? []), ...(scheme.appInputs ?? [])].map(({ name }) => name)
  const flaws: Flaw[] = []
  const add = (at: Flaw['path'], message: string) => flaws.push({ path: [...path, ...at], message })

  const names = new Set(inputNames)
  for (const name of inputNames)
    if (systemNames.includes(name)) add([], `has the input "${name}", which is a reserved name`)
  for (const name of takenNames(scheme)) {
    if (names.has(name) || systemNames.includes(name)) add([], `sets "${name}", which already has a value`)
  }
  if (steps.length > 0 && !multiStep) add(['steps'], 'need "multiStep: true"')

  // Each part may name what is there before it.
  const before = new Set([...inputNames, 'workspace', ...values.map(({ name }) => name)])
  const checkTexts = (value: unknown, at: Flaw['path'], allowed: ReadonlySet<string>) => {
    for (const { text, place } of textsOf(value, at)) {
      for (const name of variablesOf(text)) {
        if (!allowed.has(head(name))) add(place, `uses the variable "${name}", which has no value here`)
      }
    }
  }
  const checkRequest = (request: CustomRequest, at: Flaw['path'], allowed: ReadonlySet<string>) => {
    checkTexts(request, at, allowed)
    flaws.push(...lintBase([...path, ...at, 'url'], request.url, values))
    for (const name of Object.keys(request.headers ?? {})) {
      if (!httpToken.test(name)) add([...at, 'headers', name], 'is not a valid header name')
    }
    if (request.form !== undefined && request.json !== undefined) add(at, 'needs one of "form" and "json"')
    if ((request.form ?? request.json) !== undefined && request.method !== 'POST')
      add(at, 'has a body, so its method must be POST')
  }
  const checkRedirect = (redirect: NonNullable<CustomStep['redirect']>, at: Flaw['path']) => {
    checkTexts({ url: redirect.url, query: redirect.query }, at, new Set([...before, 'redirectUri', 'state']))
    flaws.push(...lintBase([...path, ...at, 'url'], redirect.url, values))
    const sent = Object.values(redirect.query ?? {}).flatMap(variablesOf)
    if (!sent.includes('state')) add(at, 'must send {{state}}, by which the browser is known again')
  }
  for (const [index, step] of steps.entries()) {
    const at = ['steps', index]
    if ((step.request === undefined) === (step.redirect === undefined)) add(at, 'needs one of "request" and "redirect"')
    if (step.request !== undefined) checkRequest(step.request, [...at, 'request'], new Set([...before, 'redirectUri']))
    if (step.redirect !== undefined) {
      checkRedirect(step.redirect, [...at, 'redirect'])
      if (step.take !== undefined || step.make !== undefined) add(at, 'takes what the browser brings under "redirect"')
    }
    for (const name of Object.keys({ ...step.take, ...step.redirect?.take })) before.add(name)
    checkTexts(step.make, [...at, 'make'], before)
    for (const name of Object.keys(step.make ?? {})) before.add(name)
  }
  if (token !== undefined) {
    checkTexts(token.assertion, ['token', 'assertion'], before)
    const ours = token.assertion ? ['assertion'] : []
    for (const [index, exchange] of tokenRequests(scheme).entries()) {
      const at = index === (token.steps ?? []).length ? ['token'] : ['token', 'steps', index]
      checkRequest(exchange.request, [...at, 'request'], new Set([...before, ...ours]))
      for (const name of Object.keys(exchange.take ?? {})) before.add(name)
      checkTexts(exchange.make, [...at, 'make'], before)
      for (const name of Object.keys(exchange.make ?? {})) before.add(name)
    }
    if (token.take === undefined && token.cookies !== true) add(['token'], 'needs "take" or "cookies"')
    // A login form that refuses a password sets cookies as well.
    if (token.cookies === true && tokenRequests(scheme).every(({ success }) => success === undefined))
      add(['token'], 'has "cookies", so one of its requests needs "success"')
  }
  for (const { take = {} } of [...steps, ...tokenRequests(scheme)]) {
    for (const [name, from] of Object.entries(take)) {
      const isCookie = isObject(from) && from['cookie'] !== undefined
      if (isCookie && token?.cookies !== true)
        add([], `takes "${name}" from a cookie, so "token" needs "cookies: true"`)
    }
  }
  const carriesCookie = Object.keys(scheme.headers ?? {}).some((name) => name.toLowerCase() === 'cookie')
  if (carriesCookie && token?.cookies === true) add(['headers'], 'contain Cookie, which "token.cookies" sends')

  // Requests carry what was given and what was taken. The facts of a conversation that no file describes yet name its
  // results.
  const carried = new Set([...inputNames, ...takenNames(scheme)])
  const described = !multiStep || steps.length > 0 || token !== undefined
  for (const place of ['headers', 'query', 'form'] as const) {
    for (const [name, text] of Object.entries(scheme[place] ?? {})) {
      if (place === 'headers' && !httpToken.test(name)) add([place, name], 'is not a valid header name')
      for (const variable of described ? variablesOf(text) : []) {
        if (!carried.has(head(variable))) add([place, name], `uses the variable "${variable}", which is not declared`)
      }
    }
  }
  return flaws
}

function variablesOf(text: string): readonly string[] {
  try {
    return parseTemplate(text).variables
  } catch {
    // The schema reports texts that are not templates, such as a key of `json`, where a template is required.
    return []
  }
}

/** Every text of a value with its place. */
function textsOf(value: unknown, place: Flaw['path']): { text: string; place: Flaw['path'] }[] {
  if (typeof value === 'string') return [{ text: value, place }]
  if (Array.isArray(value)) return value.flatMap((item, index) => textsOf(item, [...place, index]))
  return isObject(value) ? Object.entries(value).flatMap(([key, item]) => textsOf(item, [...place, key])) : []
}
