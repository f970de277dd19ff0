import { Card } from '../../parts/page.tsx'
import { Command } from '../../parts/states.tsx'
import { DocsLink } from './authentication-card.tsx'
import { nameOf, type Provider, type ProviderApp, redirectAddress, usesBrowserApp } from './provider.ts'
import { TestConnection } from './test-connection.tsx'

/** The steps at the provider, in the order in which its pages ask for them. */
export function AppGuide({ provider, app }: { provider: Provider; app: ProviderApp | undefined }) {
  const name = nameOf(provider)
  const oauth = provider.schemes.find(usesBrowserApp)?.oauth2Opts
  return (
    <>
      <Card title={`Register the app at ${name}`}>
        <ol className="guide">
          <li>
            <div>
              <strong>Create an OAuth app in your developer account of {name}.</strong>
              {oauth?.docsURL ? (
                <DocsLink href={oauth.docsURL}>How to create one</DocsLink>
              ) : (
                <a href={`/docs/providers/${encodeURIComponent(provider.name)}`}>More about {name}</a>
              )}
            </div>
          </li>
          {oauth && (
            <li>
              <div>
                <strong>Enter this redirect address:</strong>
                <Command text={redirectAddress} />
              </div>
            </li>
          )}
          <li>
            <div>
              <strong>Allow the scopes that you request in the form.</strong>
              <span className="muted">
                {oauth?.explicitScopesRequired
                  ? `${name} refuses requests without scopes, and scopes that the app does not have.`
                  : `Without scopes, ${name} gives what the app has by default.`}
              </span>
            </div>
          </li>
          <li>
            <div>
              <strong>Copy its client id and its secret into the form.</strong>
              <span className="muted">The secret is encrypted before it is stored, and never shown again.</span>
            </div>
          </li>
        </ol>
      </Card>
      {app && (
        <Card title="Connect a test account">
          <TestConnection provider={provider} appId={app.id} />
        </Card>
      )}
    </>
  )
}
