import { Pattern, type ProviderEntry } from '../index.ts'

/** Returns the limits of requests of the entry that apply to a path, as the rate limiter of the server matches them. */
export function appliedLimits({ rateLimits = [] }: Pick<ProviderEntry, 'rateLimits'>, pathname: string): string[] {
  return rateLimits
    .filter(({ path }) => path === undefined || new Pattern(path).test(pathname))
    .map(({ requests, perSeconds, per }) => `${requests} in ${perSeconds} s per ${per}`)
}
