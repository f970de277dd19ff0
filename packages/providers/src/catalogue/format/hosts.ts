import { Type } from 'typebox'

/** Host names that a value may name; also the shape of what a provider app allows. */
export const Hosts = Type.Array(Type.String({ maxLength: 253, format: 'host-pattern' }), {
  maxItems: 100,
  description:
    'Hosts that the value may name where it ends the host of a URL at which the provider app authenticates: `accounts.example.com`, or `*.example.com` for every name below. Such a value must have this key, so that the client secret reaches no host that a customer chose. An empty list: only hosts that the provider app allows.',
})
