import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type Provider from 'oidc-provider'
import { sendPage } from '../page.ts'
import { type Application, scopeNames } from './access.ts'
import { consentPage, expiredPage, signInPage } from './interaction-pages.ts'
import type { Person } from './people.ts'

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

/** Serves the pages on which a person signs in and agrees, and passes on what they decided. */
export function createInteractions(
  provider: Provider,
  people: readonly Person[],
  applications: readonly Application[],
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const applicationOf = ({ params }: Interaction) =>
    applications.find(({ clientId }) => clientId === params['client_id'])?.name ?? 'An application'

  return async (request, response) => {
    let interaction: Interaction
    try {
      interaction = await provider.interactionDetails(request, response)
    } catch {
      return sendPage(response, 400, expiredPage())
    }
    const application = applicationOf(interaction)
    const isSignIn = interaction.prompt.name === 'login'
    const scopes = scopesOf(interaction)
    if (request.method !== 'POST')
      return sendPage(
        response,
        200,
        isSignIn
          ? signInPage({ application, people })
          : consentPage({ application, scopes, person: String(interaction.session?.accountId) }),
      )

    const form = new URLSearchParams(await text(request))
    const finish = (result: Parameters<Provider['interactionFinished']>[2]) =>
      provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true })
    if (form.get('decision') === 'deny')
      return finish({ error: 'access_denied', error_description: `You did not allow access for ${application}.` })
    if (isSignIn) {
      const email = form.get('email')?.trim().toLowerCase()
      const person = people.find((one) => one.email === email && one.password === form.get('password'))
      if (person) return finish({ login: { accountId: person.email } })
      return sendPage(response, 401, signInPage({ application, people, email: email ?? '', isRefused: true }))
    }
    return finish({ consent: { grantId: await saveGrant(provider, interaction, form.getAll('scope')) } })
  }
}

function scopesOf({ params }: Interaction): string[] {
  return String(params['scope'] ?? '')
    .split(' ')
    .filter((scope) => scope in scopeNames)
}

/** Each connection has its own grant, so that one can be revoked without the others. */
async function saveGrant(provider: Provider, interaction: Interaction, agreed: readonly string[]): Promise<string> {
  const grant = new provider.Grant({
    accountId: String(interaction.session?.accountId),
    clientId: String(interaction.params['client_id']),
  })
  const scopes = scopesOf(interaction)
  grant.addOIDCScope(scopes.filter((scope) => agreed.includes(scope)).join(' '))
  grant.rejectOIDCScope(scopes.filter((scope) => !agreed.includes(scope)).join(' '))
  return grant.save()
}
