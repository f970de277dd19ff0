import { Type } from 'typebox'
import { named } from '../../../kernel/http/index.ts'
import { oauthUrl } from './addresses.ts'
import type { TokenIssuer } from './token-issuer.ts'

const text = (description: string) => Type.String({ description })
const texts = (description: string) => Type.Array(Type.String(), { description })

export const ProtectedResourceMetadata = named(
  'ProtectedResourceMetadata',
  Type.Object(
    {
      resource: text('Address of the MCP server.'),
      authorization_servers: texts('Issuers of its tokens.'),
      scopes_supported: texts('Scopes.'),
      bearer_methods_supported: texts('How tokens are sent.'),
      resource_name: text('Name of the application.'),
    },
    { description: 'How to sign in to an MCP server (RFC 9728).' },
  ),
)

export const AuthorizationServerMetadata = named(
  'AuthorizationServerMetadata',
  Type.Object(
    {
      issuer: text('Who issues tokens.'),
      authorization_endpoint: text('Where the browser of the user begins.'),
      token_endpoint: text('Where codes and refresh tokens are exchanged.'),
      registration_endpoint: text('Where clients register (RFC 7591).'),
      revocation_endpoint: text('Where clients sign out (RFC 7009).'),
      scopes_supported: texts('Scopes.'),
      response_types_supported: texts('Types of responses.'),
      response_modes_supported: texts('How responses are sent.'),
      grant_types_supported: texts('Grants.'),
      token_endpoint_auth_methods_supported: texts('Clients are public.'),
      revocation_endpoint_auth_methods_supported: texts('Clients are public.'),
      code_challenge_methods_supported: texts('Methods of PKCE (RFC 7636).'),
      client_id_metadata_document_supported: Type.Boolean({
        description: 'Whether the id of a client may be the address of its metadata document.',
      }),
      authorization_response_iss_parameter_supported: Type.Boolean({
        description: 'Whether responses name the issuer (RFC 9207).',
      }),
    },
    { description: 'The authorization server of an MCP server (RFC 8414).' },
  ),
)

/** @param resource the MCP server as the request names it: the resource must be the address that the client has */
export function resourceMetadata(issuer: TokenIssuer, resource: string) {
  return {
    resource,
    authorization_servers: [issuer.url],
    scopes_supported: [...issuer.scopes],
    bearer_methods_supported: ['header'],
    resource_name: issuer.resourceName,
  }
}

export function serverMetadata(issuer: TokenIssuer) {
  return {
    issuer: issuer.url,
    authorization_endpoint: oauthUrl(issuer, 'authorize'),
    token_endpoint: oauthUrl(issuer, 'token'),
    registration_endpoint: oauthUrl(issuer, 'register'),
    revocation_endpoint: oauthUrl(issuer, 'revoke'),
    scopes_supported: [...issuer.scopes],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  }
}
