import { Type } from 'typebox'
import { endpoint, reply } from '../../../../kernel/http/index.ts'
import {
  CertificateUnavailable,
  EventMalformed,
  EventUnverified,
  InboundBusy,
  SubscriptionNotFound,
  SubscriptionUnconfirmed,
} from '../problems.ts'
import { bodyBytesMax, receive, replyHeaders } from '../receive.ts'
import type { SubscribeServices } from '../subscribe-services.ts'

export const receiveInstallationEvents = endpoint({
  id: 'receiveInstallationEvents',
  method: 'POST',
  path: '//subscribe/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}',
  access: 'public',
  summary: 'Webhook of a provider, for the events of one installation.',
  description:
    'Called by providers, not by you. Verifies the signature first, and responds after the events are stored, so none is lost.',
  tag: 'Installations',
  audit: { exempt: 'receives events of a provider' },
  params: Type.Object({
    projectIdOrName: Type.String({ maxLength: 512, description: 'Id of the project; a name is none here.' }),
    integrationId: Type.String({ maxLength: 512, description: 'Id or name of the integration.' }),
    installationId: Type.String({ maxLength: 512, description: 'Id of the installation.' }),
  }),
  query: Type.Object({
    registration: Type.Optional(Type.String({ maxLength: 512, description: 'The registration at the provider.' })),
  }),
  accepts: 'bytes',
  bodyBytesMax,
  // Many accounts' events come from few addresses of a provider.
  rateScope: 'url',
  produces: 'text/plain; charset=utf-8',
  reply: { 200: Type.String({ description: 'Empty, or the response that the provider requires.' }) },
  problems: [
    SubscriptionNotFound,
    EventUnverified,
    EventMalformed,
    CertificateUnavailable,
    SubscriptionUnconfirmed,
    InboundBusy,
  ],
  run: async (
    { params: { projectIdOrName: projectId, ...params }, url, headers, body },
    services: SubscribeServices,
  ) => {
    const request = { url, headers, body: body as unknown as Buffer }
    const answer = await receive(services, { projectId, ...params }, request)
    return reply(200, answer.text, replyHeaders(answer))
  },
})
