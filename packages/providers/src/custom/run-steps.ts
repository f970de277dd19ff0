import type { ProviderEntry } from '../catalogue/entry.ts'
import type { CustomStep } from '../catalogue/format/custom-authentication.ts'
import { safeMessage } from '../interpreter/safe-message.ts'
import { CustomAuthRefused } from './custom-auth-refused.ts'
import { exchange, filledUrl } from './custom-exchange.ts'
import { customScheme } from './custom-scheme.ts'
import { type CustomSources, customVariables, secretsOf } from './custom-variables.ts'
import type { CustomCall } from './mint-token.ts'

/** The progress of multi-step authentication. Stored encrypted between two calls. */
export interface StepProgress {
  /** Steps that are done; the one after them waits for its browser, where there is a `state`. */
  done: number
  /** Secrets that were taken so far. */
  taken: Record<string, string>
  /** What the browser that was sent away must bring back. */
  state?: string
}

export type StepOutcome = { redirect: string; progress: StepProgress } | { taken: Record<string, string> }

export interface StepCall extends CustomCall {
  /** Where browsers come back to. */
  redirectUri: string
  /** A new unguessable text for each redirect. */
  newState: () => string
}

export const firstStep: StepProgress = { done: 0, taken: {} }

/**
 * Continues with the declared steps: sends requests one after the other until a browser must be redirected, or no step
 * is left.
 *
 * @param params the parameters that the browser returned with, if one was redirected
 * @throws CustomAuthRefused, CustomAuthUnavailable
 */
export async function runSteps(
  entry: ProviderEntry,
  sources: CustomSources,
  progress: StepProgress,
  params: Readonly<Record<string, string>> | undefined,
  { http, now, signal, redirectUri, newState }: StepCall,
): Promise<StepOutcome> {
  const scheme = customScheme(entry)
  if (scheme === undefined) return { taken: {} }
  const { steps = [] } = scheme
  let { done, taken } = progress
  const returned = steps[done]?.redirect
  if (progress.state !== undefined && returned !== undefined) {
    taken = { ...taken, ...fromParams(returned, params ?? {}, progress.state) }
    done += 1
  }
  for (const step of steps.slice(done)) {
    const values = { ...sources.values, ...taken }
    if (step.redirect !== undefined) {
      const state = newState()
      const scope = customVariables(entry, scheme, { ...sources, values }, { redirectUri, state })
      const url = filledUrl(step.redirect.url, step.redirect.query, scope)
      return { redirect: url.href, progress: { done, taken, state } }
    }
    if (step.request !== undefined) {
      const scope = customVariables(entry, scheme, { ...sources, values }, { redirectUri })
      const secrets = [...secretsOf(values), ...secretsOf(sources.app ?? {})]
      const answer = await exchange(
        { ...step, request: step.request },
        {
          http,
          scope,
          secrets,
          errors: entry.file?.errors,
          now: now(),
          signal,
        },
      )
      taken = { ...taken, ...answer.taken }
    }
    done += 1
  }
  return { taken }
}

const paramLengthMax = 8_000

/** What the browser brought back, after it was seen to belong to the one that was sent away. */
function fromParams(
  { expect = {}, take = {} }: NonNullable<CustomStep['redirect']>,
  params: Readonly<Record<string, string>>,
  state: string,
): Record<string, string> {
  const param = (name: string) => (Object.hasOwn(params, name) ? params[name] : undefined)
  if (param('state') !== state) {
    throw new CustomAuthRefused('state_mismatch', 'The browser came back from another page than it was sent to.')
  }
  const error = param('error')
  if (error !== undefined) {
    const words = safeMessage(param('error_description') ?? error, [])
    throw new CustomAuthRefused(
      /^[\w.-]{1,80}$/.test(error) ? error : 'refused',
      `The provider refused. It says: ${words}`,
    )
  }
  for (const [name, wanted] of Object.entries(expect)) {
    if (param(name) !== wanted)
      throw new CustomAuthRefused('refused', `The provider did not answer with ${name}=${wanted}.`)
  }
  return Object.fromEntries(
    Object.entries(take).map(([name, from]) => {
      const value = param(from)
      if (value === undefined || value === '' || value.length > paramLengthMax) {
        throw new CustomAuthRefused('unusable_answer', `The provider did not answer with ${from}.`)
      }
      return [name, value]
    }),
  )
}
