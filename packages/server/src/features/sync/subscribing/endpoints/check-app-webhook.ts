import { Type } from 'typebox'
import { endpoint, reply } from '../../../../kernel/http/index.ts'
import { SubscriptionNotFound } from '../problems.ts'
import { replyHeaders, respondToCheck } from '../receive.ts'
import type { SubscribeServices } from '../subscribe-services.ts'

export const checkAppWebhook = endpoint({
  id: 'checkAppWebhook',
  method: 'GET',
  path: '//subscribe/v1/projects/{projectIdOrName}/integrations/{integrationId}',
  access: 'public',
  summary: 'Check of a webhook URL by a provider, for all accounts of an app.',
  description:
    'Called by providers, not by you. Some send a GET or HEAD request before they use the URL, and expect a part of it in the response.',
  tag: 'Installations',
  params: Type.Object({
    projectIdOrName: Type.String({ maxLength: 512, description: 'Id of the project; a name is none here.' }),
    integrationId: Type.String({ maxLength: 512, description: 'Id or name of the integration.' }),
  }),
  // Many accounts' events come from few addresses of a provider.
  rateScope: 'url',
  produces: 'text/plain; charset=utf-8',
  reply: { 200: Type.String({ description: 'Empty, or the response that the provider requires.' }) },
  problems: [SubscriptionNotFound],
  run: async ({ params: { projectIdOrName: projectId, ...params }, url, headers }, services: SubscribeServices) => {
    const answer = await respondToCheck(services, { projectId, ...params }, { url, headers })
    return reply(200, answer.text, replyHeaders(answer))
  },
})
