import type { Catalogue } from '@mortise/providers'
import { ConnectionNotFound } from '../../accounts/connections/index.ts'

/** A group without a connection to the provider, or a provider that there is not. */
export function notConnected(catalogue: Catalogue, provider: string): Error {
  if (catalogue.find(provider))
    return new ConnectionNotFound({
      detail: `The group has no connection to ${provider}.`,
      remedy: 'Connect an account of the group first.',
    })
  const meant = catalogue.suggest(provider)
  return new ConnectionNotFound({
    detail: `There is no provider of the name ${JSON.stringify(provider)}; names are case-sensitive.`,
    ...(meant !== undefined && { remedy: `Did you mean ${JSON.stringify(meant)}?` }),
  })
}
