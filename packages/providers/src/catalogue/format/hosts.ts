import { Type } from 'typebox'

/** Host names that a value may name; also the shape of what a provider app allows. */
export const Hosts = Type.Array(Type.String({ maxLength: 253, format: 'host-pattern' }), {
  maxItems: 100,
  description:
    'Hosts that the value may name: `accounts.example.com`, or `*.example.com` for every name below. Required if the value ends the host of a URL that receives the client secret. An empty list: only hosts of the provider app.',
})

/** The same for values that are not entered by customers. */
export const HostsAsOfInputs = Type.Array(Type.String({ maxLength: 253, format: 'host-pattern' }), {
  maxItems: 100,
  description: 'Hosts that the value may name. See `inputs`.',
})
