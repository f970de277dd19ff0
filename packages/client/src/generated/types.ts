// Generated from the OpenAPI document by scripts/write-types.ts. Do not edit.
export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The page at the address of the service: links to the console and to this reference. */
        get: operations["openFrontPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The public keys that verify builders’ tokens, as a JWK Set. */
        get: operations["listTokenKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/callbacks/v1/custom-auth/default": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Callback of a provider after a step of custom authentication.
         * @description Passes the parameters to the page that opened the window. That page continues with `POST /custom-auth/connect`. Existing clients of the interface rely on the message: `{source: "ampersand-custom-auth", params}`.
         */
        get: operations["showCustomAuthCallback"];
        put?: never;
        /**
         * The same, for providers that send a form.
         * @description Passes the parameters to the page that opened the window. That page continues with `POST /custom-auth/connect`. Existing clients of the interface rely on the message: `{source: "ampersand-custom-auth", params}`.
         */
        post: operations["submitCustomAuthCallback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/callbacks/v1/custom-auth/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Start multi-step authentication in a browser: binds it with a cookie, and redirects to the provider.
         * @description Only the first browser that opens it can finish.
         */
        get: operations["startCustomAuth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/callbacks/v1/oauth": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * OAuth callback: finishes `oauthConnect` and `oauthUpdate`.
         * @description The redirect URL of provider apps. The page sends the result to the page that opened the window, and shows it to the person.
         */
        get: operations["showOAuthCallback"];
        put?: never;
        /**
         * The same for providers that send a form (`response_mode=form_post`).
         * @description Leads on to the page by a redirect: a form of another site brings no cookies along, a redirect does.
         */
        post: operations["submitOAuthCallback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/callbacks/v1/oauth/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Start an OAuth flow: binds it to this browser with a cookie, and redirects to the provider.
         * @description Only the first browser that opens it can finish.
         */
        get: operations["startOAuth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connect.js": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The script of the connect components for your own pages: redirects to the current one.
         * @description Load it with `<script type="module" src="…/connect.js">`.
         */
        get: operations["getConnectScript"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connect/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The page of a connect session, on which a customer connects an account.
         * @description Made by `createConnectSession`. It shows the components. Without scripts, and if the scripts were not built, it leads to a form.
         */
        get: operations["showConnectPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connect/{token}/form": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The page on which a customer connects an account, without scripts.
         * @description The page of a connect session links to it for browsers without scripts.
         */
        get: operations["showConnectForm"];
        put?: never;
        /** Connect an account with the form of the page without scripts. */
        post: operations["submitConnectForm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connect/assets/{script}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A script of the connect components. Its name has a hash of its content.
         * @description Compressed with Brotli or gzip, if the client accepts one of them.
         */
        get: operations["getConnectAsset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The console, in which people work with their projects.
         * @description Without a session, it leads to the sign-in page.
         */
        get: operations["showConsole"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/{page}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A page of the console. Its scripts read the path. */
        get: operations["showConsolePage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/assets/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A script, style or image of the console. Its name has a hash of its content.
         * @description Compressed with Brotli or gzip, if the client accepts one of them.
         */
        get: operations["getConsoleAsset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/signout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the session of the browser, with the tokens of the console.
         * @description Needs the header `x-mortise-console: 1`, and serves pages of this service only.
         */
        post: operations["signOutOfConsole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange the session cookie of the browser for an access token of the console.
         * @description Needs the header `x-mortise-console: 1`, and serves pages of this service only. The token ends with the session.
         */
        post: operations["createConsoleToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The first page of this reference, for people. With `q`, the results of a search. */
        get: operations["getReference"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/{page}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A page of this reference, for people: a chapter, `providers`, `resources` or `problems`. */
        get: operations["getReferencePage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/assets/{script}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The script of the pages of this documentation, for browsers. The pages are complete without it. */
        get: operations["getReferenceScript"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/guides/{guide}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A guide of this documentation, for people. */
        get: operations["getGuide"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/providers/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The page of a provider, for people: what it can do, how to connect an account, an integration to begin with. */
        get: operations["getProviderPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process is alive. */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Metrics of the service in the Prometheus text format. */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/problems/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Explains a problem and what to do. */
        get: operations["getProblemPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/read/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}:pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop the scheduled reads of an installation, or of some of its objects. */
        post: operations["pauseReads"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/read/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}:unpause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume scheduled reads that were paused, by a request or by failures.
         * @description What was changed in the meantime is read by the next scheduled read, and a backfill that was given up begins again. An object that its config disables stays paused.
         */
        post: operations["unpauseReads"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/read/v1/projects/{projectIdOrName}/integrations/{integrationId}/objects/{objectName}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Read an object now, in the background. */
        post: operations["triggerRead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/read/v1/projects/{projectIdOrName}/integrations/{integrationId}/objects/{objectName}:deliverResults": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request pages of an object that is delivered on request.
         * @description Delivers queued pages now, oldest first. If fewer are queued, the rest follow as later reads produce them. Requests add up. For objects with `delivery.mode: onRequest` in the manifest.
         */
        post: operations["deliverResults"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the service can do its work: database, migrations and queue. */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/results/{resultId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a result that was too large for its message.
         * @description The URL is `resultInfo.downloadUrl` of the message, or `configURL` or `lastConfigURL` of a notification; it needs no API key and is valid for 15 minutes.
         */
        get: operations["getResult"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/schemas/{schema}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The JSON Schema of manifests (`manifest.json`) or of provider files (`provider.json`), for editors. */
        get: operations["getSchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/search/v1/projects/{projectIdOrName}/integrations/{integrationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search records of an object in a group’s account.
         * @description Queries the provider live for records whose fields have these values, and returns its first page. The object must be under `read` in the manifest. Records have the same fields and names as in messages.
         */
        post: operations["searchRecords"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/signin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The page where builders sign in. */
        get: operations["showSignInPage"];
        put?: never;
        /** Sign in with the form of the sign-in page. */
        post: operations["submitSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/signin/amp-cli": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The page where the existing command line `amp` is signed in (contract 8.5). */
        get: operations["showAmpCliPage"];
        put?: never;
        /** Send the browser back to the existing command line with a session. */
        post: operations["submitAmpCli"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/signin/cli": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The consent page for a command-line sign-in.
         * @description A command line opens it, and waits at `http://127.0.0.1:{port}/callback` for `code` and `state`; it exchanges the code by `POST /v1/sessions:exchange`.
         */
        get: operations["showCliConsentPage"];
        put?: never;
        /** Send the browser back to a command line with a code. */
        post: operations["submitCliConsent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/signin/done": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The page that shows who is signed in. */
        get: operations["showSignedInPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/signin/enroll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The page where people set up a second factor. */
        get: operations["showEnrollPage"];
        put?: never;
        /** Begin to set up a second factor. */
        post: operations["submitEnroll"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/signin/enroll/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Confirm a second factor with its code or response, and show recovery codes. */
        post: operations["confirmEnroll"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/signin/factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The page for the second step of a sign-in. */
        get: operations["showFactorPage"];
        put?: never;
        /** Complete a sign-in with a code, a recovery code or a passkey. */
        post: operations["submitFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/signin/forgot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The page for forgotten passwords: emails a link, or says whom to ask. */
        get: operations["showForgotPage"];
        put?: never;
        /** Email a link that resets a forgotten password. The page is the same whether or not there is an account. */
        post: operations["submitForgot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/signin/invite": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The page of an invite. */
        get: operations["showInvitePage"];
        put?: never;
        /** Accept an invite: with the signed-in account, an existing one, or a new one. */
        post: operations["submitInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/signin/oidc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Send the browser to the identity provider. */
        get: operations["startSingleSignOn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/signin/oidc/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Callback of the identity provider. */
        get: operations["finishSingleSignOn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/signin/out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End the session of the browser. */
        post: operations["submitSignOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/signin/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The page to choose a new password, opened by a link.
         * @description The token of the link moves into a cookie, so that it does not stay in the address bar.
         */
        get: operations["showResetPage"];
        put?: never;
        /** Set a new password with the link that the browser opened. */
        post: operations["submitReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/signin/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The page where the first owner creates an account, with the link that the service prints at its start. */
        get: operations["showSetupPage"];
        put?: never;
        /** Create the first account. */
        post: operations["submitSetup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/subscribe/v1/projects/{projectIdOrName}/integrations/{integrationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check of a webhook URL by a provider, for all accounts of an app.
         * @description Called by providers, not by you. Some send a GET or HEAD request before they use the URL, and expect a part of it in the response.
         */
        get: operations["checkAppWebhook"];
        put?: never;
        /**
         * Webhook of a provider, for the events of all accounts of an app.
         * @description Called by providers, not by you: enter the URL in your app at the provider. Events go to the installations whose account they name.
         */
        post: operations["receiveAppEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/subscribe/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check of a webhook URL by a provider, for one installation.
         * @description Called by providers, not by you. Some send a GET or HEAD request before they use the URL, and expect a part of it in the response.
         */
        get: operations["checkInstallationWebhook"];
        put?: never;
        /**
         * Webhook of a provider, for the events of one installation.
         * @description Called by providers, not by you. Verifies the signature first, and responds after the events are stored, so none is lost.
         */
        post: operations["receiveInstallationEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/claimed-domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show which organization has claimed a domain.
         * @description Owners of the organization see its claim. Builders with an address of the domain see the verified one. To others the domain looks unclaimed.
         */
        get: operations["checkClaimedDomain"];
        put?: never;
        /**
         * Claim a domain for an organization that you own.
         * @description The claim is pending until its DNS record is verified. Publish the TXT record in `verification`, then call `verifyClaimedDomain`. From then on, anyone with a verified email address of exactly this domain may join the organization as a developer. Public suffixes such as `co.uk` and domains of public mail providers are refused.
         */
        post: operations["claimDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/client": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a new access token for the session of a cookie, for the existing command line (contract 8.5).
         * @description The session is that of the cookie `__client`, of `__dev_session`, or of the sign-in pages in this browser. Without one the list is empty.
         */
        get: operations["getClient"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/custom-auth/connect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Connect an account of a provider with multi-step authentication.
         * @description Call it with the customer’s inputs. If the response is a `redirect`, open its URL in a window. The window’s last page passes on the parameters that the provider sent. Send them in the next call with the `sessionId`. The response `connection` is the end. The same account (provider, group, consumer and workspace) is updated and keeps its id.
         */
        post: operations["customAuthConnect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/generate-upload-url": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Create a URL to upload a zip of source files.
         * @description PUT the zip to `url`, then deploy `gs://{bucket}/{path}` as `sourceZipUrl`. It serves one deploy, for 15 minutes. People need the role `developer` in the project.
         */
        get: operations["generateUploadUrl"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invites:accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept the pending invites to your email address.
         * @description The address must be verified: by single sign-on, or by an invite that came by email. Otherwise, also send the token of the invite’s link.
         */
        post: operations["acceptInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/my-info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show your account and what you can access. */
        get: operations["getMyInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/my-info/factors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your second factors. */
        get: operations["listMyFactors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/my-info/factors:beginPasskey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to set up a passkey.
         * @description Pass `options` to `PublicKeyCredential.parseCreationOptionsFromJSON`, and its result to `navigator.credentials.create`, on a page of this service. Then send the credential to `:confirmPasskey`, in the same session and within ten minutes.
         */
        post: operations["beginPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/my-info/factors:beginTotp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to set up an authenticator app.
         * @description Show `uri` as a QR code, or `secret` as text. Then send the code of the app to `:confirmTotp`, in the same session and within ten minutes. Needs a sign-in or a proof within the last ten minutes.
         */
        post: operations["beginTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/my-info/factors:confirmPasskey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Confirm a passkey. From then on, the password alone does not sign you in. */
        post: operations["confirmPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/my-info/factors:confirmTotp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm an authenticator app with its code. From then on, the password alone does not sign you in.
         * @description The code that you send here does not work again for a sign-in.
         */
        post: operations["confirmTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/my-info/factors/{factorId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove one of your second factors.
         * @description Your recovery codes go with the last one. Needs a sign-in or a proof within the last ten minutes.
         */
        delete: operations["deleteMyFactor"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/my-info/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change your own password, and end your other sessions. */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/my-info/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Prove that it is you, to change factors within the next ten minutes of this session.
         * @description Attempts are limited like those to sign in.
         */
        post: operations["createMyProof"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/my-info/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace your recovery codes. The former ones stop working.
         * @description Needs a sign-in or a proof within the last ten minutes.
         */
        post: operations["replaceMyRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/my-info/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your sessions, the newest first.
         * @description At most the newest 1,000.
         */
        get: operations["listMySessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/my-info/sessions:endOthers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End all your sessions except this one.
         * @description Their tokens end immediately on this node, and within five seconds on the others.
         */
        post: operations["endOtherSessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/my-info/sessions/{sessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one of your sessions.
         * @description Its tokens end immediately on this node, and within five seconds on the others.
         */
        delete: operations["deleteMySession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oauth-connect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Connect an account by OAuth: get the URL to open in a browser.
         * @description The URL is valid for ten minutes and for one account. Only the browser that opens it can finish. The window ends on a page of this service, which sends the result to the page that opened the window. The same account (provider, group, consumer and workspace) is updated and keeps its id.
         */
        post: operations["oauthConnect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create an organization. You become its owner. */
        post: operations["createOrg"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{orgId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show an organization. */
        get: operations["getOrg"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change the label of an organization, and whether its members need a second factor. */
        patch: operations["updateOrg"];
        trace?: never;
    };
    "/v1/orgs/{orgId}/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit log of an organization.
         * @description Newest first. Without `pageSize`, a page has 100 entries.
         */
        get: operations["listOrgAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{orgId}/audit-log:verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Verify a part of the audit log of an organization.
         * @description Recomputes the hashes of seals and entries, and names the first broken place. Call it with `nextPageToken` until that is absent.
         */
        get: operations["verifyOrgAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{orgId}/builders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the members of an organization, in the order of joining. */
        get: operations["listOrgBuilders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{orgId}/builders/{builderId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member from an organization.
         * @description An owner can remove anyone; others can only leave. Their sessions and tokens lose the organization, and their pending invites to it are revoked. Their account stays.
         */
        delete: operations["deleteOrgBuilder"];
        options?: never;
        head?: never;
        /** Change the role of a member of an organization. */
        patch: operations["updateOrgBuilder"];
        trace?: never;
    };
    "/v1/orgs/{orgId}/builders/{builderId}/factors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove all second factors of a member who lost them.
         * @description The member can then sign in with the password alone, and all their sessions end. You can do this only for people who belong to no other organization, and not for yourself.
         */
        delete: operations["deleteOrgBuilderFactors"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{orgId}/builders/{builderId}/password-resets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a one-time link that lets a member reset a forgotten password.
         * @description With a mail server, the service sends the link by email. Otherwise, the response shows it once. It works for one hour. You can create it only for people who belong to no other organization, and not for yourself.
         */
        post: operations["createPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{orgId}/claimed-domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the domains that an organization has claimed, by name.
         * @description Each with its status and the DNS record that proves it.
         */
        get: operations["listOrgClaimedDomains"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{orgId}/claimed-domains/{claimedDomainId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a claim on a domain.
         * @description New people of the domain can no longer join. Members remain.
         */
        delete: operations["deleteClaimedDomain"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{orgId}/claimed-domains/{claimedDomainId}:verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a claimed domain by its DNS record.
         * @description Looks up the TXT record in `verification` of the claim. The claim takes effect when the record is found. It remains verified if you remove the record later. Call it at most once a minute per claim.
         */
        post: operations["verifyClaimedDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{orgId}/invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all invites of an organization, newest first. */
        get: operations["listOrgInvites"];
        put?: never;
        /**
         * Invite an email address to an organization, with any role.
         * @description With a mail server, the service sends the link by email. Otherwise, the response shows it once.
         */
        post: operations["createOrgInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{orgId}/invites/{inviteId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show an invite. */
        get: operations["getOrgInvite"];
        put?: never;
        post?: never;
        /**
         * Revoke a pending invite. Its link stops working immediately.
         * @description For owners, and API keys of scope `full` of any project of the organization.
         */
        delete: operations["deleteOrgInvite"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{orgId}/memberships": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a builder to an organization, as a developer.
         * @description Owners can add anyone. Without a role, you can add yourself if the organization has claimed the domain of your verified email address.
         */
        post: operations["addUserToOrg"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/password-resets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Email a link that resets a forgotten password.
         * @description The response is the same whether or not there is an account with this address. The link works once, and for one hour. A newer link replaces it.
         */
        post: operations["requestPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/password-resets:complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a new password with the token of a link, and end all sessions of the person.
         * @description Does not sign you in. A refused password does not use up the link.
         */
        post: operations["completePasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the projects that the credential can access.
         * @description An API key belongs to one project, so the list has only that one. A builder sees the projects of all organizations where they have a role, by name.
         */
        get: operations["listProjects"];
        put?: never;
        /**
         * Create a project in one of your organizations.
         * @description Requires the role `owner` in the organization.
         */
        post: operations["createProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a project. */
        get: operations["getProject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the names, the logo and the connect settings of a project.
         * @description Paths accept the new name immediately. For up to five seconds, another node may still know the project by its old name.
         */
        patch: operations["updateProject"];
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API keys of the project, oldest first.
         * @description `key` is only the hint of each key. Get one key to see it.
         */
        get: operations["listApiKeys"];
        put?: never;
        /** Create an API key. */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/api-keys/{apiKey}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an API key, with the key itself.
         * @description Prefer the id in paths, because proxies may log them.
         */
        get: operations["getApiKey"];
        put?: never;
        post?: never;
        /**
         * Delete an API key, even the one of the request.
         * @description It stops working immediately on the node that responds, within five seconds on every other.
         */
        delete: operations["deleteApiKey"];
        options?: never;
        head?: never;
        /**
         * Change the label or the scopes of an API key, or deactivate it.
         * @description Takes effect immediately on the node that responds, and within five seconds on every other.
         */
        patch: operations["updateApiKey"];
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit log of a project.
         * @description Newest first. Without `pageSize`, a page has 100 entries.
         */
        get: operations["listProjectAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/audit-log:verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Verify a part of the audit log of a project.
         * @description Recomputes the hashes of seals and entries, and names the first broken place. Call it with `nextPageToken` until that is absent.
         */
        get: operations["verifyProjectAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/changes:stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow what changes in a project.
         * @description Server-sent events: a `change` when something of the project was created, changed or deleted. It names the resource, but has none of its content. Changes are collected: a stream sends a few a second of each kind. It ends after an hour. A project can have 20 of them open on a node.
         */
        get: operations["streamChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/connect-info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get all that the first view of a component needs.
         * @description What may be connected and installed, and what the group has. With the token of a connect session, limited to what the session is for. Installations are empty for the purpose `connect`.
         */
        get: operations["getConnectInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/connect-info/providers/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the fields that a customer fills in to connect an account.
         * @description The same fields that the connect page shows, for every authentication method that the project can use.
         */
        get: operations["getConnectForm"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/connect-info/providers/{provider}:connect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Connect an account with what a customer entered.
         * @description Checks the credential with the provider. With OAuth, the response is an address to open: its window sends the result to the page that opened it, or the browser returns to `returnUrl`. The same account (provider, group, consumer and workspace) is updated and keeps its id.
         */
        post: operations["connectProviderAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/connect-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a connect session: a page, and a token for components, for one customer.
         * @description The page asks for what the provider needs, for every authentication method, and shows errors until the account is connected. It is valid for half an hour. With the purpose `connect`, it is valid for one account; other purposes need the role `developer` of people. The same account (provider, group, consumer and workspace) is updated and keeps its id.
         */
        post: operations["createConnectSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/connect-sessions/{connectSessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the state of a page on which a customer connects an account. */
        get: operations["getConnectSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the connections of the project, newest first. */
        get: operations["listConnections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/connections:generate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Connect an account with a credential.
         * @description The same account (provider, group, consumer and workspace) is updated and keeps its id. The credential is checked right after the response, or before it with `verify=true`. A bad credential does not prevent the connection; see `status`.
         */
        post: operations["generateConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/connections/{connectionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a connection, with its credential on request. */
        get: operations["getConnection"];
        put?: never;
        post?: never;
        /** Delete a connection that no installation uses. */
        delete: operations["deleteConnection"];
        options?: never;
        head?: never;
        /**
         * Change the credential, the metadata or the workspace of a connection.
         * @description `updateMask` names what is changed; values that it does not name are ignored. A credential must be of the kind that the connection has, and is checked like that of a new connection. `providerMetadata` replaces all that was there. Front-end keys and consumer tokens that change a value which decides where the credential is sent must send the credential again.
         */
        patch: operations["updateConnection"];
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/connections/{connectionId}:oauth-update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Reauthorize a connection: get the URL to open in a browser.
         * @description Like `POST /oauth-connect`, for an existing connection, which keeps its id. Only the browser that opens the URL can finish. Only its own account can authorize it again. Credentials of another account never replace it.
         */
        patch: operations["oauthUpdate"];
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/connections/{connectionId}:test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check the credential of a connection now.
         * @description Sends the request that tests a credential to the provider, waits up to 15 seconds, and returns the connection. `status` and `lastCheck` say what the check found. It changes nothing else. A connection that the provider accepts again works again, and its reads resume.
         */
        post: operations["testConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/connections/{connectionId}/provider-file:test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a provider file with a connection, object by object.
         * @description Describes each object and reads it like a backfill and a scheduled read: two pages of one record each, and once in a window of the future. Calls only the provider’s own addresses, so the file does not decide where the credential goes. Writes nothing unless you send `writes`, and stores nothing of the file. Ends after 45 seconds.
         */
        post: operations["testProviderFile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/consumers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the consumers of the project, sorted by ref. */
        get: operations["listConsumers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/consumers/{consumerRef}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a consumer by its ref. */
        get: operations["getConsumer"];
        put?: never;
        post?: never;
        /**
         * Delete a consumer and all its data.
         * @description Deletes its connections, their credentials and their installations immediately, in every group. Messages (delivered or not), operations and logs are erased right after. Notifications of the deletion itself are still delivered.
         */
        delete: operations["deleteConsumer"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count what happened over time.
         * @description Returns the counts of the project, or of what the filters select, by hour or by day. Intervals are in UTC, at most 2000. Nodes add counts every few seconds. The filters `groupRef` and `installationId` leave out deleted installations.
         */
        get: operations["listCounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/counts:top": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the installations with the highest counts.
         * @description Highest first; installations with a count of zero are left out. The range is at most 48 hours, or 31 days if the interval is a day.
         */
        get: operations["listTopInstallations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/destinations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the destinations of a project.
         * @description Oldest first. URLs and headers are masked.
         */
        get: operations["listDestinations"];
        put?: never;
        /**
         * Create a destination.
         * @description Generates a signing secret. Get the destination with `includeSecrets=true` to see it. Messages that wait for this name are then delivered.
         */
        post: operations["createDestination"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/destinations/{destination}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a destination, with its secrets on request.
         * @description Without `includeSecrets`, the URL and the headers are masked.
         */
        get: operations["getDestination"];
        put?: never;
        post?: never;
        /**
         * Delete a destination.
         * @description Its undelivered messages are queued. They are delivered when you create a destination of that name.
         */
        delete: operations["deleteDestination"];
        options?: never;
        head?: never;
        /**
         * Update a destination.
         * @description Setting `metadata.url`, even to the same value, enables a disabled destination, and sends queued messages immediately. A masked value that you send back unchanged keeps the stored one.
         */
        patch: operations["updateDestination"];
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/destinations/{destination}:disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disable a destination.
         * @description Nothing is sent until you enable it, except messages that are already being sent. Its messages are queued. No effect on a disabled destination.
         */
        post: operations["disableDestination"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/destinations/{destination}:enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable a destination.
         * @description Sends queued messages immediately and resets the failure count. For a destination that is failing but not disabled, this also ends the wait for its next probe.
         */
        post: operations["enableDestination"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/destinations/{destination}:rotateSecret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a new signing secret for a destination.
         * @description For 24 hours, messages are signed with the old secret too. At most ten old secrets sign. Send an `Idempotency-Key` so that a repeated request does not rotate twice.
         */
        post: operations["rotateDestinationSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/destinations/{destination}:test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test message to a destination.
         * @description Sends one signed message of type `destination.test` now, waits up to 15 seconds for the response, and returns it. It is not retried, does not affect the health of the destination, and also reaches a disabled one.
         */
        post: operations["testDestination"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the groups of the project, sorted by ref. */
        get: operations["listGroups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/groups/{groupRef}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a group by its ref. */
        get: operations["getGroup"];
        put?: never;
        post?: never;
        /**
         * Delete a group and all its data.
         * @description Deletes its installations, connections and credentials immediately. Messages (delivered or not), operations and logs are erased right after. Notifications of the deletion itself are still delivered.
         */
        delete: operations["deleteGroup"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/installations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the installations of all integrations, newest first. */
        get: operations["listInstallationsForProject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/installations:failing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List why installations fail.
         * @description The worst reason first, then the longest failure. An installation that fails for several reasons, or several objects, has a result for each. The reasons are those of the status of the installation.
         */
        get: operations["listFailingInstallations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/integrations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the integrations of the project, oldest first. */
        get: operations["listIntegrations"];
        put?: never;
        /**
         * Add one integration.
         * @description The content follows the rules of a deploy. To change an integration, deploy it or give it a revision.
         */
        post: operations["createIntegration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/integrations:batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Deploy a manifest: adds its integrations, or creates new revisions of them.
         * @description Applies completely or not at all. Integrations are identified by name. An integration gets a new revision only when its content changed. Integrations that the manifest does not name remain. The header `x-mortise-advice-count` counts advice; validateManifest lists it.
         */
        put: operations["batchUpsertIntegrations"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/integrations:validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Validate a manifest: returns what a deploy of the same body would return, and changes nothing.
         * @description Lists errors and advice. An upload is not used up.
         */
        post: operations["validateManifest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/integrations/{integrationId}:preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show a few records as an installation would deliver them.
         * @description Reads up to five records of an object, with the config in the request. Mortise validates the config as for a new installation, and stores and delivers nothing. `Idempotency-Key` has no effect.
         */
        post: operations["previewRecords"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the installations of an integration, newest first. */
        get: operations["listInstallations"];
        put?: never;
        /** Install an integration for a group. */
        post: operations["createInstallation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an installation. */
        get: operations["getInstallation"];
        put?: never;
        post?: never;
        /**
         * Delete an installation, and its connection when no other installation uses it.
         * @description Stops its reads, and ends its operations as failed. Messages that exist already are still delivered.
         */
        delete: operations["deleteInstallation"];
        options?: never;
        head?: never;
        /** Change the parts of an installation that the update mask names. */
        patch: operations["updateInstallation"];
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/configs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of the config of an installation.
         * @description Newest first. Without `pageSize`, a page has 50 versions.
         */
        get: operations["listConfigs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/objects/{objectName}/backfill-progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the progress of the newest backfill of an object. */
        get: operations["getBackfillProgress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the operations of an installation.
         * @description Newest first.
         */
        get: operations["listOperations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the objects that are read on a schedule, with their last and next reads.
         * @description Objects without a schedule, for reads or for deleted records, are left out.
         */
        get: operations["listReadSchedules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/schema-changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes of fields of watched objects.
         * @description Newest first, as long as retention keeps them. All that changed is here, whichever kinds of change the manifest wants messages of.
         */
        get: operations["listSchemaChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/schema-watches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the watched objects and their last checks.
         * @description Empty if the manifest has no `watchSchema`.
         */
        get: operations["listSchemaWatches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get whether an installation works, and how far its reads are. */
        get: operations["getInstallationStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the webhook that a customer sets up at the provider.
         * @description Returns the URL to enter at the provider, and whether the secret of the webhook is known.
         */
        get: operations["getInstallationWebhook"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/webhook-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the secret of the webhook that a customer set up at the provider.
         * @description Mortise verifies the events of the installation with it. The secret that it replaces is valid for 24 hours more. No response contains the secret.
         */
        put: operations["setWebhookSecret"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/integrations/{integrationId}/object-metadata": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Create or change fields of objects in the account of a group’s installation.
         * @description Use the provider’s names of objects or their mapped names. An existing field gets its new name, description and additional choices. Types, existing choices and the provider’s own fields never change. `success` is false if a field is not as requested; its `warnings` say why.
         */
        put: operations["upsertMetadataForInstallation"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/integrations/{integrationId}/objects/{objectName}/config-content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the config of one object of an installation by JSON Patch.
         * @description The patch applies to the effective config: the manifest’s values overlaid by what the installation has chosen. All operations apply, or none.
         */
        patch: operations["patchObjectConfigContent"];
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/integrations/{integrationId}/objects/{objectName}/metadata": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the fields of an object, through a group’s installation.
         * @description Use the provider’s name of the object or its mapped name. You can request any object of the provider. If the group has several installations, Mortise uses the newest. The provider’s answer is cached for half a minute.
         */
        get: operations["getObjectMetadataForInstallation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/integrations/{integrationId}/revisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the revisions of an integration, newest first. */
        get: operations["listRevisions"];
        put?: never;
        /**
         * Create a new revision of one integration.
         * @description Takes a manifest that defines this integration, by name. The whole manifest is validated; its other integrations do not change. Unchanged content creates no revision. The header `x-mortise-advice-count` counts advice.
         */
        post: operations["createRevision"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/integrations/{integrationId}/revisions/{revisionId}:hydrate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a revision with the provider’s fields for one account.
         * @description Mortise asks the provider once for each object that is read, and caches the answers for half a minute. An object that the provider cannot describe has the reason in `error`. If this applies to all objects, the response is a problem.
         */
        get: operations["getHydratedRevision"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/integrations/{integrationIdOrName}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show an integration with its latest revision. */
        get: operations["getIntegration"];
        put?: never;
        post?: never;
        /**
         * Delete an integration with its revisions and installations.
         * @description Connections that no other installation uses go too, as when an installation is deleted. What was read before is still delivered.
         */
        delete: operations["deleteIntegration"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/jwt-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the JWT keys of the project, oldest first. */
        get: operations["listJWTKeys"];
        put?: never;
        /** Add a public key that verifies the tokens of your end users. */
        post: operations["createJWTKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/jwt-keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a JWT key. */
        get: operations["getJWTKey"];
        put?: never;
        post?: never;
        /** Delete a JWT key. Its tokens stop working. */
        delete: operations["deleteJWTKey"];
        options?: never;
        head?: never;
        /**
         * Change the label of a JWT key, or deactivate it.
         * @description Takes effect immediately on the node that responds, and within five seconds on every other.
         */
        patch: operations["updateJWTKey"];
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/logs:stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the logs of all operations of a project.
         * @description Server-sent events: a `log` for each new line. With the header Last-Event-ID, the stream continues after that event; some lines may arrive twice. It ends after an hour.
         */
        get: operations["streamLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/message-replays/{replayId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a replay of messages. */
        get: operations["getMessageReplay"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List messages.
         * @description Newest first. This list is always in pages: 100 messages by default. The header Link has the next page. You can combine filters.
         */
        get: operations["listMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/messages:replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send messages again.
         * @description Each message keeps its id, so your endpoint can recognize it, and gets all its attempts again. Pending messages are skipped. Runs in the background: get the replay to see its progress.
         */
        post: operations["replayMessages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/messages:stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow messages as they are posted and delivered.
         * @description Server-sent events. `message`: a new message, or its first event in this stream; `state`: one was delivered, has failed, or waits for its next attempt. With the header Last-Event-ID, the stream continues after that event: every message arrives, some twice; missed state changes do not. It ends after an hour. A project can have 20 of them open on a node.
         */
        get: operations["streamMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/messages/{messageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a message with its payload. */
        get: operations["getMessage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/messages/{messageId}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the attempts of a message.
         * @description Oldest first, 100 per page by default.
         */
        get: operations["listMessageAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/notification-event-topic-routes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the routes from events to topics.
         * @description Oldest first. The filters can be combined.
         */
        get: operations["listEventTopicRoutes"];
        put?: never;
        /**
         * Route events of one type to a topic.
         * @description Applies to events from now on.
         */
        post: operations["createEventTopicRoute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/notification-event-topic-routes/{routeId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Stop routing events of one type to a topic. */
        delete: operations["deleteEventTopicRoute"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the operations of a project.
         * @description Newest first. You can combine filters. A page examines a limited number of operations. If few of them match, the page has fewer items, or none, and `nextPageToken` continues the search.
         */
        get: operations["searchOperations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/operations/{operationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an operation. */
        get: operations["getOperation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/operations/{operationId}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the log of an operation.
         * @description Oldest first, at most 5000 lines. With the severity `DEBUG`, also a line for each page of a read and each request of a write: its details have the request, its status, its time in milliseconds, and the records and messages.
         */
        get: operations["listOperationLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/operations/{operationId}/logs:stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the log of an operation.
         * @description Server-sent events: a `log` for each line, existing lines first. With the header Last-Event-ID, the stream continues after that event; some lines may arrive twice. It ends after an hour.
         */
        get: operations["streamOperationLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the state of a project at a glance.
         * @description Numbers of what fails and waits are exact up to 10,000; `capped` says that there are more. With more than 10 destinations, fewer messages of each are counted, but at least 1,000.
         */
        get: operations["getOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/provider-apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the provider apps of the project, newest first. */
        get: operations["listProviderApps"];
        put?: never;
        /**
         * Store an app that you registered at a provider.
         * @description The client secret, and secrets in `providerParams`, are encrypted and never shown again.
         */
        post: operations["createProviderApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/provider-apps/{providerAppId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a provider app that no connection uses. */
        delete: operations["deleteProviderApp"];
        options?: never;
        head?: never;
        /**
         * Change a provider app.
         * @description `updateMask` names what is changed; values that it does not name are ignored.
         */
        patch: operations["updateProviderApp"];
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/provider-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what providers sent to the webhooks of a project.
         * @description Newest first, without the contents. You can combine filters. Each process stores at most 60 entries a minute of one URL, and 10 of refused requests; further requests share an entry. A page examines a limited number of entries. It may have fewer items than requested, or none, and `nextPageToken` continues.
         */
        get: operations["listProviderEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/provider-file-faults": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Errors of the provider files in the directories of MORTISE_PROVIDERS_DIR.
         * @description The node that answers reports what it found in its own folders when they last changed. While a file has errors, its last good version stays in use; after a restart, the built-in file of its name, or nothing. A corrected file is used within seconds, without a restart.
         */
        get: operations["listProviderFileFaults"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/providers/{provider}/object-metadata": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Create or change fields of objects in the account of a group’s connection.
         * @description Use the provider’s names of objects. Mortise uses the group’s newest connection to the provider, in the provider’s default module. Otherwise as for an installation’s fields.
         */
        put: operations["upsertMetadataForConnection"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/providers/{provider}/objects/{objectName}/metadata": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the fields of a provider’s object, through a group’s connection.
         * @description Use the provider’s name of the object. Mortise uses the group’s newest connection to the provider, in the provider’s default module, and caches the answer for half a minute.
         */
        get: operations["getObjectMetadataForConnection"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find resources of a project by id or name.
         * @description Finds any resource by its id. Finds groups, consumers, integrations, destinations, topics, provider apps and API keys by a part of their names or refs, in any case. Returns at most 20 results, the best first.
         */
        get: operations["searchProject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what happened to a group, an installation or a connection.
         * @description Newest first. Name exactly one group, installation or connection. Scheduled reads that found nothing and proxy calls that succeeded are left out. A page examines a limited number of operations. It may have fewer items than requested, or none, and `nextPageToken` continues.
         */
        get: operations["listTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/topic-destination-routes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the routes from topics to destinations.
         * @description Oldest first. The filters can be combined.
         */
        get: operations["listTopicDestinationRoutes"];
        put?: never;
        /**
         * Send the events of a topic to a destination.
         * @description An event that reaches a destination through several topics is sent there once.
         */
        post: operations["createTopicDestinationRoute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/topic-destination-routes/{routeId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Stop sending the events of a topic to a destination. */
        delete: operations["deleteTopicDestinationRoute"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/topics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the topics of a project.
         * @description Oldest first.
         */
        get: operations["listTopics"];
        put?: never;
        /**
         * Create a topic.
         * @description A topic needs two routes: one from an event, and one to a destination.
         */
        post: operations["createTopic"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectIdOrName}/topics/{topicId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a topic with its routes.
         * @description Events that are already routed are still delivered.
         */
        delete: operations["deleteTopic"];
        options?: never;
        head?: never;
        /**
         * Rename a topic.
         * @description Its routes remain.
         */
        patch: operations["updateTopic"];
        trace?: never;
    };
    "/v1/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all providers, by name.
         * @description The response has an entity tag. Send it back in `If-None-Match`: the response is 304 while nothing has changed. `support` is what Mortise can do at a provider.
         */
        get: operations["listProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/providers/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a provider: how accounts authenticate, what it can do, and what this release supports. */
        get: operations["getProvider"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign a builder in with email and password.
         * @description An unknown email and a wrong password get the same response. After ten failures within 15 minutes, further attempts have to wait. For an account with a second factor, the response is 401 `second-factor-required`: send the request again with `code`.
         */
        post: operations["createSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions:exchange": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange the code of a command-line sign-in for tokens.
         * @description The code works once and for a minute, together with the verifier whose challenge the page `/signin/cli` was opened with (RFC 7636, S256).
         */
        post: operations["exchangeSignInCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions:refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a refresh token for a new access token and the next refresh token.
         * @description A refresh token works once. If it is used a second time, two parties may have it: the session ends with all its tokens.
         */
        post: operations["refreshSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Sign out: end the session of the bearer token. */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/uploads/{uploadId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Receive an upload at the URL from generateUploadUrl.
         * @description The signature in the URL is the permission. The body is the file itself, at most 10 MB. A later upload to the same URL replaces an earlier one until a deploy has used it.
         */
        put: operations["putUpload"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/write/v1/projects/{projectIdOrName}/integrations/{integrationId}/objects/{objectName}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create, update or delete records at the provider.
         * @description One record or up to 100, while you wait or in the background. Names, values and defaults follow the manifest and the config of the installation.
         */
        post: operations["writeRecords"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "connection.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Notification `connection.created`.
         * @description An account was connected for the first time, by any authentication method: OAuth, an API key, a password or none. Posted to the destinations of the topics that this type of event is routed to.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description Id of the message, the same at every attempt. Also sent as `svix-id`. */
                    "webhook-id": string;
                    /** @description `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, once per signing key, separated by spaces. Also sent as `svix-signature`. */
                    "webhook-signature": string;
                    /** @description Unix seconds of the attempt. Also sent as `svix-timestamp`. */
                    "webhook-timestamp": string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ConnectionCreatedNotification"];
                };
            };
            responses: {
                /** @description Taken. The message is not sent again. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Gone. Mortise disables the webhook immediately. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Not accepted. Mortise sends the message again, on the retry schedule. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "connection.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Notification `connection.deleted`.
         * @description A connection was deleted, by request or with the last installation that used it. Posted to the destinations of the topics that this type of event is routed to.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description Id of the message, the same at every attempt. Also sent as `svix-id`. */
                    "webhook-id": string;
                    /** @description `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, once per signing key, separated by spaces. Also sent as `svix-signature`. */
                    "webhook-signature": string;
                    /** @description Unix seconds of the attempt. Also sent as `svix-timestamp`. */
                    "webhook-timestamp": string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ConnectionDeletedNotification"];
                };
            };
            responses: {
                /** @description Taken. The message is not sent again. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Gone. Mortise disables the webhook immediately. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Not accepted. Mortise sends the message again, on the retry schedule. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "connection.error": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Notification `connection.error`.
         * @description The provider refused the credential of a connection, and its status is now `bad_credentials`. Sent once, until the credential works again. Posted to the destinations of the topics that this type of event is routed to.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description Id of the message, the same at every attempt. Also sent as `svix-id`. */
                    "webhook-id": string;
                    /** @description `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, once per signing key, separated by spaces. Also sent as `svix-signature`. */
                    "webhook-signature": string;
                    /** @description Unix seconds of the attempt. Also sent as `svix-timestamp`. */
                    "webhook-timestamp": string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ConnectionErrorNotification"];
                };
            };
            responses: {
                /** @description Taken. The message is not sent again. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Gone. Mortise disables the webhook immediately. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Not accepted. Mortise sends the message again, on the retry schedule. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "connection.refreshed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Notification `connection.refreshed`.
         * @description The access token of a connection was renewed automatically: it was about to expire, was refused, or was unused for long. Not sent for a request with `refresh`. Posted to the destinations of the topics that this type of event is routed to.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description Id of the message, the same at every attempt. Also sent as `svix-id`. */
                    "webhook-id": string;
                    /** @description `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, once per signing key, separated by spaces. Also sent as `svix-signature`. */
                    "webhook-signature": string;
                    /** @description Unix seconds of the attempt. Also sent as `svix-timestamp`. */
                    "webhook-timestamp": string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ConnectionRefreshedNotification"];
                };
            };
            responses: {
                /** @description Taken. The message is not sent again. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Gone. Mortise disables the webhook immediately. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Not accepted. Mortise sends the message again, on the retry schedule. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "connection.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Notification `connection.updated`.
         * @description The same account was connected again, or its connection was changed. Posted to the destinations of the topics that this type of event is routed to.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description Id of the message, the same at every attempt. Also sent as `svix-id`. */
                    "webhook-id": string;
                    /** @description `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, once per signing key, separated by spaces. Also sent as `svix-signature`. */
                    "webhook-signature": string;
                    /** @description Unix seconds of the attempt. Also sent as `svix-timestamp`. */
                    "webhook-timestamp": string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ConnectionUpdatedNotification"];
                };
            };
            responses: {
                /** @description Taken. The message is not sent again. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Gone. Mortise disables the webhook immediately. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Not accepted. Mortise sends the message again, on the retry schedule. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    dataMessage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Records of an object: a page of a read, or events of the provider.
         * @description Posted to the destination that the manifest names for the object. At most 300 KB. Larger results arrive as several messages. A single larger record is downloaded from a URL.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description Id of the message, the same at every attempt. Also sent as `svix-id`. */
                    "webhook-id": string;
                    /** @description `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, once per signing key, separated by spaces. Also sent as `svix-signature`. */
                    "webhook-signature": string;
                    /** @description Unix seconds of the attempt. Also sent as `svix-timestamp`. */
                    "webhook-timestamp": string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DataMessage"];
                };
            };
            responses: {
                /** @description Taken. The message is not sent again. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Gone. Mortise disables the webhook immediately. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Not accepted. Mortise sends the message again, on the retry schedule. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "destination.webhook.disabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Notification `destination.webhook.disabled`.
         * @description A webhook was disabled: every attempt of five days failed, its endpoint answered 410 Gone, or someone disabled it. Never sent to that webhook. Posted to the destinations of the topics that this type of event is routed to.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description Id of the message, the same at every attempt. Also sent as `svix-id`. */
                    "webhook-id": string;
                    /** @description `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, once per signing key, separated by spaces. Also sent as `svix-signature`. */
                    "webhook-signature": string;
                    /** @description Unix seconds of the attempt. Also sent as `svix-timestamp`. */
                    "webhook-timestamp": string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DestinationWebhookDisabledNotification"];
                };
            };
            responses: {
                /** @description Taken. The message is not sent again. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Gone. Mortise disables the webhook immediately. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Not accepted. Mortise sends the message again, on the retry schedule. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "installation.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Notification `installation.created`.
         * @description An integration was installed, by request or automatically. Posted to the destinations of the topics that this type of event is routed to.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description Id of the message, the same at every attempt. Also sent as `svix-id`. */
                    "webhook-id": string;
                    /** @description `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, once per signing key, separated by spaces. Also sent as `svix-signature`. */
                    "webhook-signature": string;
                    /** @description Unix seconds of the attempt. Also sent as `svix-timestamp`. */
                    "webhook-timestamp": string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["InstallationCreatedNotification"];
                };
            };
            responses: {
                /** @description Taken. The message is not sent again. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Gone. Mortise disables the webhook immediately. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Not accepted. Mortise sends the message again, on the retry schedule. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "installation.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Notification `installation.deleted`.
         * @description An installation was deleted, by request or with its integration. Posted to the destinations of the topics that this type of event is routed to.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description Id of the message, the same at every attempt. Also sent as `svix-id`. */
                    "webhook-id": string;
                    /** @description `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, once per signing key, separated by spaces. Also sent as `svix-signature`. */
                    "webhook-signature": string;
                    /** @description Unix seconds of the attempt. Also sent as `svix-timestamp`. */
                    "webhook-timestamp": string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["InstallationDeletedNotification"];
                };
            };
            responses: {
                /** @description Taken. The message is not sent again. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Gone. Mortise disables the webhook immediately. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Not accepted. Mortise sends the message again, on the retry schedule. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "installation.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Notification `installation.updated`.
         * @description The config or the connection of an installation changed. Not sent when reads are paused or resumed. Posted to the destinations of the topics that this type of event is routed to.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description Id of the message, the same at every attempt. Also sent as `svix-id`. */
                    "webhook-id": string;
                    /** @description `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, once per signing key, separated by spaces. Also sent as `svix-signature`. */
                    "webhook-signature": string;
                    /** @description Unix seconds of the attempt. Also sent as `svix-timestamp`. */
                    "webhook-timestamp": string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["InstallationUpdatedNotification"];
                };
            };
            responses: {
                /** @description Taken. The message is not sent again. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Gone. Mortise disables the webhook immediately. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Not accepted. Mortise sends the message again, on the retry schedule. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "read.backfill.done": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Notification `read.backfill.done`.
         * @description The backfill of an object succeeded. Posted to the destinations of the topics that this type of event is routed to.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description Id of the message, the same at every attempt. Also sent as `svix-id`. */
                    "webhook-id": string;
                    /** @description `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, once per signing key, separated by spaces. Also sent as `svix-signature`. */
                    "webhook-signature": string;
                    /** @description Unix seconds of the attempt. Also sent as `svix-timestamp`. */
                    "webhook-timestamp": string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReadBackfillDoneNotification"];
                };
            };
            responses: {
                /** @description Taken. The message is not sent again. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Gone. Mortise disables the webhook immediately. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Not accepted. Mortise sends the message again, on the retry schedule. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "read.backfill.error": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Notification `read.backfill.error`.
         * @description The backfill of an object failed, so existing records are missing. You can run it again; it continues where it stopped. Posted to the destinations of the topics that this type of event is routed to.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description Id of the message, the same at every attempt. Also sent as `svix-id`. */
                    "webhook-id": string;
                    /** @description `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, once per signing key, separated by spaces. Also sent as `svix-signature`. */
                    "webhook-signature": string;
                    /** @description Unix seconds of the attempt. Also sent as `svix-timestamp`. */
                    "webhook-timestamp": string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReadBackfillErrorNotification"];
                };
            };
            responses: {
                /** @description Taken. The message is not sent again. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Gone. Mortise disables the webhook immediately. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Not accepted. Mortise sends the message again, on the retry schedule. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "read.schedule.paused": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Notification `read.schedule.paused`.
         * @description Scheduled reads of an installation were paused. `error` has the reason if Mortise paused them, after repeated errors or a refused credential. There is no `error` if a request or a destructive deploy paused them. Posted to the destinations of the topics that this type of event is routed to.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description Id of the message, the same at every attempt. Also sent as `svix-id`. */
                    "webhook-id": string;
                    /** @description `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, once per signing key, separated by spaces. Also sent as `svix-signature`. */
                    "webhook-signature": string;
                    /** @description Unix seconds of the attempt. Also sent as `svix-timestamp`. */
                    "webhook-timestamp": string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReadSchedulePausedNotification"];
                };
            };
            responses: {
                /** @description Taken. The message is not sent again. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Gone. Mortise disables the webhook immediately. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Not accepted. Mortise sends the message again, on the retry schedule. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "read.triggered.done": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Notification `read.triggered.done`.
         * @description A triggered read succeeded. Posted to the destinations of the topics that this type of event is routed to.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description Id of the message, the same at every attempt. Also sent as `svix-id`. */
                    "webhook-id": string;
                    /** @description `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, once per signing key, separated by spaces. Also sent as `svix-signature`. */
                    "webhook-signature": string;
                    /** @description Unix seconds of the attempt. Also sent as `svix-timestamp`. */
                    "webhook-timestamp": string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReadTriggeredDoneNotification"];
                };
            };
            responses: {
                /** @description Taken. The message is not sent again. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Gone. Mortise disables the webhook immediately. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Not accepted. Mortise sends the message again, on the retry schedule. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "read.triggered.error": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Notification `read.triggered.error`.
         * @description A triggered read failed permanently. Posted to the destinations of the topics that this type of event is routed to.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description Id of the message, the same at every attempt. Also sent as `svix-id`. */
                    "webhook-id": string;
                    /** @description `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, once per signing key, separated by spaces. Also sent as `svix-signature`. */
                    "webhook-signature": string;
                    /** @description Unix seconds of the attempt. Also sent as `svix-timestamp`. */
                    "webhook-timestamp": string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReadTriggeredErrorNotification"];
                };
            };
            responses: {
                /** @description Taken. The message is not sent again. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Gone. Mortise disables the webhook immediately. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Not accepted. Mortise sends the message again, on the retry schedule. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    schemaWatchMessage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change of the fields of an object in a customer’s account.
         * @description Posted to the destination in `watchSchema` of the manifest: one message per object, on its schedule. The first check of an object sends nothing. If the changes exceed 300 KB, download them from a URL: the only item of the array is the result.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description Id of the message, the same at every attempt. Also sent as `svix-id`. */
                    "webhook-id": string;
                    /** @description `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, once per signing key, separated by spaces. Also sent as `svix-signature`. */
                    "webhook-signature": string;
                    /** @description Unix seconds of the attempt. Also sent as `svix-timestamp`. */
                    "webhook-timestamp": string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SchemaWatchMessage"];
                };
            };
            responses: {
                /** @description Taken. The message is not sent again. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Gone. Mortise disables the webhook immediately. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Not accepted. Mortise sends the message again, on the retry schedule. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscribe.create.error": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Notification `subscribe.create.error`.
         * @description A subscription at the provider could not be set up. Sent once for as long as this lasts. Posted to the destinations of the topics that this type of event is routed to.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description Id of the message, the same at every attempt. Also sent as `svix-id`. */
                    "webhook-id": string;
                    /** @description `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, once per signing key, separated by spaces. Also sent as `svix-signature`. */
                    "webhook-signature": string;
                    /** @description Unix seconds of the attempt. Also sent as `svix-timestamp`. */
                    "webhook-timestamp": string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SubscribeCreateErrorNotification"];
                };
            };
            responses: {
                /** @description Taken. The message is not sent again. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Gone. Mortise disables the webhook immediately. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Not accepted. Mortise sends the message again, on the retry schedule. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "write.async.done": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Notification `write.async.done`.
         * @description An asynchronous write ended. If only some records were written, `success` is false and both lists have items. Posted to the destinations of the topics that this type of event is routed to.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description Id of the message, the same at every attempt. Also sent as `svix-id`. */
                    "webhook-id": string;
                    /** @description `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, once per signing key, separated by spaces. Also sent as `svix-signature`. */
                    "webhook-signature": string;
                    /** @description Unix seconds of the attempt. Also sent as `svix-timestamp`. */
                    "webhook-timestamp": string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["WriteAsyncDoneNotification"];
                };
            };
            responses: {
                /** @description Taken. The message is not sent again. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Gone. Mortise disables the webhook immediately. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Not accepted. Mortise sends the message again, on the retry schedule. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description A credential of your servers (scope `full`) or of your front end (scope `frontend`). */
        ApiKey: {
            /** @description Whether the key works. */
            active: boolean;
            /** @description Extension: who created the key, as `builder:{id}`. */
            createdBy: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description Extension: beginning and last four characters of the key. */
            hint: string;
            /** @description Extension: id of the key, which names it in paths without telling it. */
            id: string;
            /** @description The key itself. Lists show its hint instead: get one key to see it. */
            key: string;
            /** @description What people call the key. */
            label: string;
            /** @description The project that the key belongs to. */
            projectId: string;
            /** @description `full`: everything in the project. `frontend`: what a front end needs, without secrets. */
            scopes: string[];
            /**
             * Format: date-time
             * @description When it was last changed. Absent until then.
             */
            updateTime?: string;
        };
        /** @description An API key. */
        ApiKeyOpts: {
            /**
             * @description Where the key goes.
             * @enum {string}
             */
            attachmentType: "query" | "header";
            /** @description The provider’s page about it. */
            docsURL?: string;
            /** @description The header that it is sent in. */
            header?: {
                /** @description Name of the header. */
                name: string;
                /** @description Text before the value. */
                valuePrefix?: string;
            };
            /** @description As a parameter. */
            query?: {
                /** @description Name of the parameter. */
                name: string;
            };
        };
        /** @description A new API key. */
        ApiKeyRequest: {
            /** @description What people call the key. */
            label: string;
            /**
             * @description `full`: everything in the project. `frontend`: what a front end needs, without secrets.
             * @default [
             *       "full"
             *     ]
             */
            scopes: string[];
        };
        /** @description One side of an association that changed. */
        AssociatedRecord: {
            /** @description Requested fields that are not mapped, by the provider’s names in lowercase. */
            fields?: {
                [key: string]: unknown;
            };
            /** @description Id of the record at the provider. */
            id: string;
            /** @description Mapped fields, by the names that they are mapped to. */
            mappedFields?: {
                [key: string]: unknown;
            };
            /** @description Name of its object. */
            objectName?: string;
            /** @description The record as the provider gave it. */
            raw?: {
                [key: string]: unknown;
            };
            /** @description The provider’s name of its object. */
            rawObjectName?: string;
        };
        /** @description A record that the record of an entry belongs with. */
        Association: {
            /** @description Requested fields that are not mapped, by the provider’s names in lowercase. */
            fields?: {
                [key: string]: unknown;
            };
            /** @description Id of the associated record at the provider. */
            id?: string;
            /** @description Mapped fields, by the names that they are mapped to. */
            mappedFields?: {
                [key: string]: unknown;
            };
            /** @description Name of its object. */
            objectName?: string;
            /** @description What the provider says about the association. */
            providerAssociationMetadata?: {
                [key: string]: unknown;
            };
            /** @description The record as the provider gave it. */
            raw?: {
                [key: string]: unknown;
            };
            /** @description The provider’s name of its object. */
            rawObjectName?: string;
        };
        /** @description Changes of associations between records. */
        AssociationChangeEvent: {
            /**
             * @description Subscribed for every installation.
             * @enum {string}
             */
            enabled?: "always";
            /** @description Whether to include the associated records. */
            includeFullRecords?: boolean;
        };
        /** @description A change that somebody made: an entry of the audit log. */
        AuditEntry: {
            /** @description The operationId of the endpoint. */
            action: string;
            /** @description Who made the change. */
            actor: {
                /** @description Id of the person, the key or the connect session. */
                id?: string;
                /**
                 * @description Who made the change. `consumerToken`: id of the JWT key. `anonymous`: not authenticated, as in a failed sign-in.
                 * @enum {string}
                 */
                kind: "person" | "apiKey" | "consumerToken" | "connectSession" | "operator" | "system" | "anonymous";
                /** @description Email or label at the time of the change. */
                name?: string;
            };
            /** @description IP address of the client. */
            address?: string;
            /** @description The resource after the change. */
            after?: unknown;
            /** @description The resource before the change. An update shows only what differs. Secrets are masked. */
            before?: unknown;
            /** @description Id of the entry. Ids of later entries sort later. */
            id: string;
            /**
             * @description `failure`: a failed sign-in.
             * @enum {string}
             */
            outcome: "success" | "failure";
            /** @description The `X-Request-Id` of the response. */
            requestId?: string;
            /** @description What was changed. */
            resource: {
                /** @description Id of the resource. References of groups and consumers are `sha256:` and the hash in hexadecimal. */
                id?: string;
                /** @description Kind of the resource: `api-key`, `destination`, … */
                kind: string;
            };
            /**
             * Format: date-time
             * @description When the change was made.
             */
            time: string;
            /** @description The first 200 characters of the header User-Agent. */
            userAgent?: string;
            /** @description What the endpoint does: `create`, `update`, `delete`, … */
            verb: string;
        };
        /** @description The result of verifying a part of an audit log. */
        AuditVerification: {
            /** @description Intact sealed entries in this part. */
            checkedEntries: number;
            /** @description Intact seals in this part. */
            checkedSeals: number;
            /** @description Sealed entries that were deleted after their retention. */
            expiredEntries: number;
            /** @description The first broken place. Absent if this part is intact. */
            fault?: {
                /** @description Id of the entry. */
                entryId?: string;
                /**
                 * @description What is wrong. `insertedEntry`: no seal contains the entry.
                 * @enum {string}
                 */
                kind: "changedEntry" | "missingEntry" | "insertedEntry" | "changedSeal" | "missingSeal";
                /** @description Number of the seal. */
                sealNumber?: number;
                /** @description Number of the entry in the log, from 1 on. */
                sequence?: number;
            };
            /** @description The last seal of this part. Keep it elsewhere: a chain that was rewritten has another hash. */
            lastSeal?: {
                /** @description SHA-256 of the seal, in hexadecimal. */
                hash: string;
                /** @description Number of the seal. */
                number: number;
            };
            /** @description Pass as `pageToken` for the next part. Absent on the last. */
            nextPageToken?: string;
            /** @description New entries that are not sealed yet. */
            unsealedEntries: number;
        };
        /** @description What is read of the past after an installation. */
        Backfill: {
            defaultPeriod: components["schemas"]["BackfillPeriod"];
        };
        /** @description One of the two is present. */
        BackfillPeriod: {
            /** @description Days into the past; 0 for none. */
            days?: number;
            /** @description Whether all history is read. */
            fullHistory?: boolean;
        };
        /** @description Progress of the backfill of an object. */
        BackfillProgress: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime?: string;
            /** @description Installation id. */
            installationId: string;
            /** @description The provider’s name of the object. */
            objectName: string;
            /** @description Operation of the backfill. */
            operationId: string;
            /** @description What the provider said at the start; only some do. */
            recordsEstimatedTotal?: number;
            /** @description Records read and committed so far. */
            recordsProcessed: number;
            /**
             * Format: date-time
             * @description When it was last changed. Absent until then.
             */
            updateTime?: string;
        };
        /** @description User name and password. */
        BasicAuthOpts: {
            /** @description User name, password or both are a key. */
            apiKeyAsBasic?: boolean;
            /** @description The provider’s page about it. */
            docsURL?: string;
        };
        /** @description A person who signs in to work on projects. */
        Builder: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description First name, if known. */
            firstName?: string;
            /** @description Full name, if known. */
            fullName?: string;
            /** @description Id of the builder. */
            id: string;
            /** @description Who authenticates the person: `mortise`, or an identity provider. */
            idpProvider: string;
            /** @description That provider’s id of the person. */
            idpRef: string;
            /** @description Last name, if known. */
            lastName?: string;
            /** @description Email address that the person signs in with. */
            primaryEmail?: string;
            /**
             * @description Role in the organization, if the request names one.
             * @enum {string}
             */
            role?: "viewer" | "operator" | "developer" | "owner";
        };
        /** @description The signed-in person, with their roles in projects and in the organization. */
        BuilderInfo: {
            builder: components["schemas"]["Builder"];
            /** @description The organization that the builder joined first. Absent without any. */
            orgRole?: {
                org: components["schemas"]["Org"];
                /** @description Id of the team or the builder. */
                principalId: string;
                /**
                 * @description Whom the role was given to; here always the builder.
                 * @enum {string}
                 */
                principalType: "team" | "builder";
                /** @description `owner`, `developer`, `operator` or `viewer`. */
                role: string;
            };
            /** @description Every project that the builder has a role in, by id. */
            projectRoles: {
                [key: string]: {
                    /** @description Id of the team or the builder. */
                    principalId: string;
                    /**
                     * @description Whom the role was given to; here always the builder.
                     * @enum {string}
                     */
                    principalType: "team" | "builder";
                    project: components["schemas"]["Project"];
                    /** @description `admin` for owners of the organization, else the role in it: `developer`, `operator` or `viewer`. */
                    role: string;
                };
            };
        };
        /** @description List all providers, by name. */
        CatalogType: {
            [key: string]: components["schemas"]["ProviderInfo"];
        };
        /** @description A mail domain that an organization claimed. Once it is verified, people with a verified address there can join without an invite. */
        ClaimedDomainResponse: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description The domain, in lowercase and without `www.`. */
            domain: string;
            /** @description Id of the claim. */
            id: string;
            /** @description Id of the organization that claimed the domain. */
            parentId: string;
            /** @description `org`. */
            parentType: string;
            /**
             * @description A pending claim has no effect until its DNS record is verified.
             * @enum {string}
             */
            status: "pending" | "verified";
            /** @description The DNS record that proves the claim. Shown to owners. */
            verification?: {
                /** @description Full name of the DNS record. */
                recordName: string;
                /**
                 * @description Type of the DNS record.
                 * @enum {string}
                 */
                recordType: "TXT";
                /** @description Value of the DNS record. */
                recordValue: string;
            };
            /**
             * Format: date-time
             * @description When it was verified.
             */
            verifyTime?: string;
        };
        /** @description A group’s choices, in the current version. */
        Config: {
            /** @description What was chosen; what is absent is inherited from the manifest. */
            content: {
                [key: string]: unknown;
            };
            /** @description `builder:{id}`, unless the caller gave another. */
            createdBy: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description Id of this version of the config. */
            id: string;
            /** @description The revision that was current when the config was saved. */
            revisionId: string;
        };
        /** @description What a group chose for each action of an integration. */
        ConfigContent: {
            /** @description Provider of the integration. */
            provider: string;
            /** @description Requests through the proxy. */
            proxy?: {
                /** @description Whether it is allowed. */
                enabled?: boolean;
            };
            /** @description Objects that are read. */
            read?: {
                /** @description By object name, as the manifest has it. */
                objects?: {
                    [key: string]: components["schemas"]["ReadConfigObject"];
                };
            };
            /** @description Objects to subscribe to. */
            subscribe?: {
                /** @description By object name, as the manifest has it. */
                objects?: {
                    [key: string]: components["schemas"]["SubscribeConfigObject"];
                };
            };
            /** @description Objects that are written. */
            write?: {
                /** @description By object name, as the manifest has it. */
                objects?: {
                    [key: string]: components["schemas"]["WriteConfigObject"];
                };
            };
        };
        /** @description A version of the config of an installation. */
        ConfigVersion: {
            /** @description What was chosen; what is absent is inherited from the manifest. */
            content: {
                [key: string]: unknown;
            };
            /** @description `builder:{id}`, unless the caller gave another. */
            createdBy: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description Id of this version of the config. */
            id: string;
            /** @description Whether the installation uses this version. */
            isCurrent: boolean;
            /** @description The revision that was current when the config was saved. */
            revisionId: string;
            /** @description Number of the version; the first is 1. */
            version: number;
        };
        /** @description What a customer entered to connect an account. */
        ConnectAccountRequest: {
            /** @description A connection of the group that gets a new credential. */
            connectionId?: string;
            /** @description Your id of the person. Required with a key; tokens have it. */
            consumerRef?: string;
            /** @description Your id of the group. Required with a key; tokens have it. */
            groupRef?: string;
            /**
             * @description How the page of the provider opens; `popup` by default. `popup`: its window sends the result to the page that opened it. `redirect`: the browser returns to `returnUrl`.
             * @enum {string}
             */
            mode?: "popup" | "redirect";
            /** @description For `redirect`: the page of the connect session, its `redirectUrl`, or a page of one of the `frameOrigins` of the project. Gets `connectionId` and `status`, or `error`, in its query. */
            returnUrl?: string;
            /** @description Name of the authentication method. */
            scheme: string;
            /** @description What the customer entered, by name of the field. */
            values: {
                [key: string]: string;
            };
        };
        /** @description Either the connection, or where the browser has to go. */
        ConnectAccountResponse: {
            connection?: components["schemas"]["Connection"];
            /**
             * @description What happens next.
             * @enum {string}
             */
            outcome: "connected" | "redirect";
            /** @description For `redirect`: an address of this service that leads to the provider. Valid for ten minutes. */
            url?: string;
        };
        /** @description The fields that a customer fills in to connect an account. */
        ConnectForm: {
            /** @description Name that people know. */
            displayName: string;
            /** @description How the account can be connected, the preferred method first. */
            methods: {
                /** @description What the customer enters. */
                fields: {
                    /** @description Page that says where to find the value. */
                    docsUrl?: string;
                    /** @description Example of a value. */
                    example?: string;
                    /** @description Hint of the provider file. */
                    help?: string;
                    /** @description Value of the field at first. */
                    initial?: string;
                    /** @description Label of the field. */
                    label: string;
                    /** @description Characters at most. */
                    maxLength: number;
                    /** @description Name of the value. */
                    name: string;
                    /** @description Whether it may be left empty. */
                    optional?: boolean;
                    /** @description Values to choose from. */
                    options?: {
                        /** @description What people see. */
                        label: string;
                        /** @description Value to send. */
                        value: string;
                    }[];
                    /** @description Pattern (RE2) that the whole value matches. `…:connect` checks it. */
                    pattern?: string;
                    /** @description Part of the address before the value. */
                    prefix?: string;
                    /** @description Part of the address after the value. */
                    suffix?: string;
                    /**
                     * @description Kind of the field.
                     * @enum {string}
                     */
                    type: "text" | "secret" | "lines" | "select";
                }[];
                /** @description With `oauth2`: host of the page that asks. Otherwise: host that the credential is sent to. Absent if it depends on what the customer enters. */
                host?: string;
                /**
                 * @description `none`: nothing to enter. `fields`: a form. `oauth2`: a page of the provider. `steps`: a form, then maybe pages of the provider.
                 * @enum {string}
                 */
                kind: "none" | "fields" | "oauth2" | "steps";
                /** @description What people call the method: “Use …”. */
                name: string;
                /** @description Name of the authentication method. */
                scheme: string;
                /** @description Scopes that Mortise requests. */
                scopes?: {
                    /** @description What it allows, from the provider file. */
                    description?: string;
                    /** @description Name of the scope. */
                    name: string;
                }[];
            }[];
            /** @description Name of the provider. */
            name: string;
            /** @description The connection that gets a new credential. */
            reconnects?: string;
        };
        /** @description All that the first view of a component needs. */
        ConnectInfo: {
            /** @description Name of your application. */
            appName?: string;
            /** @description How connect pages and components look, in which language, and where they may be shown. */
            connect: {
                /** @description Origins of the pages that may show a connect page in a frame, and that a browser may return to: `https://app.example.com`; `http` for localhost alone. */
                frameOrigins?: string[];
                /** @description Language of connect pages, as `de` or `pt-BR`. By default that of the browser. */
                language?: string;
                /** @description Your own texts, by language. */
                messages?: {
                    [key: string]: {
                        [key: string]: string;
                    };
                };
                /** @description Colors, corners and fonts. What is absent has its default. */
                theme?: {
                    /** @description Buttons and links. A CSS color: `#1c6b50`, `rgb(…)`. */
                    accent?: string;
                    /** @description Text on buttons. A CSS color: `#1c6b50`, `rgb(…)`. */
                    accentText?: string;
                    /** @description Behind everything. A CSS color: `#1c6b50`, `rgb(…)`. */
                    background?: string;
                    /** @description Lines and outlines. A CSS color: `#1c6b50`, `rgb(…)`. */
                    border?: string;
                    /** @description Errors. A CSS color: `#1c6b50`, `rgb(…)`. */
                    danger?: string;
                    /** @description Other colors for dark pages. */
                    dark?: {
                        /** @description Buttons and links. A CSS color: `#1c6b50`, `rgb(…)`. */
                        accent?: string;
                        /** @description Text on buttons. A CSS color: `#1c6b50`, `rgb(…)`. */
                        accentText?: string;
                        /** @description Behind everything. A CSS color: `#1c6b50`, `rgb(…)`. */
                        background?: string;
                        /** @description Lines and outlines. A CSS color: `#1c6b50`, `rgb(…)`. */
                        border?: string;
                        /** @description Errors. A CSS color: `#1c6b50`, `rgb(…)`. */
                        danger?: string;
                        /** @description Hints and secondary text. A CSS color: `#1c6b50`, `rgb(…)`. */
                        mutedText?: string;
                        /** @description Cards and fields. A CSS color: `#1c6b50`, `rgb(…)`. */
                        surface?: string;
                        /** @description Text. A CSS color: `#1c6b50`, `rgb(…)`. */
                        text?: string;
                    };
                    /** @description Names of fonts, as in the CSS property `font-family`. */
                    font?: string;
                    /** @description Hints and secondary text. A CSS color: `#1c6b50`, `rgb(…)`. */
                    mutedText?: string;
                    /** @description Radius of corners: `0`, or a number with `px`, `rem` or `em`. */
                    radius?: string;
                    /** @description Cards and fields. A CSS color: `#1c6b50`, `rgb(…)`. */
                    surface?: string;
                    /** @description Text. A CSS color: `#1c6b50`, `rgb(…)`. */
                    text?: string;
                };
            };
            /** @description The connections of the group, newest first; 200 at most. */
            connections: {
                /** @description The API key. Present only if you request it or just sent it. */
                apiKey?: string;
                /**
                 * @description How it authenticates with the provider.
                 * @enum {string}
                 */
                authScheme: "none" | "apiKey" | "basic" | "oauth2/authorizationCode" | "oauth2/authorizationCodePKCE" | "oauth2/clientCredentials" | "oauth2/password";
                consumer: components["schemas"]["Consumer"];
                /**
                 * Format: date-time
                 * @description When it was created.
                 */
                createTime: string;
                /** @description What the provider said when it refused the credential, or why it could not be reached. Absent if it gave no reason. */
                failure?: string;
                group: components["schemas"]["Group"];
                /** @description Id of the connection. */
                id: string;
                lastCheck?: components["schemas"]["LastCheck"];
                /** @description What the account did not grant, with what needs it. Absent if nothing is missing, or if the provider does not say what it granted. */
                missingPermissions?: components["schemas"]["MissingPermission"][];
                /** @description Scopes that Mortise asks for and the account lacks. */
                missingScopes?: string[];
                oauth2AuthorizationCode?: components["schemas"]["OAuth2Tokens"];
                /** @description Id of the project. */
                projectId: string;
                /** @description Name of the provider. */
                provider: string;
                providerApp?: components["schemas"]["ProviderApp"];
                /** @description The provider’s id of this person. */
                providerConsumerRef?: string;
                /** @description Values that the provider needs, by name: `{value, source, displayName?}`. */
                providerMetadata?: {
                    [key: string]: unknown;
                };
                /** @description The workspace at the provider. */
                providerWorkspaceRef?: string;
                /** @description Name of the provider’s authentication scheme. Absent if it was connected before schemes had names. */
                schemeName?: string;
                /**
                 * @description `created`: its credential has not been used yet. `working`: the last request succeeded. `bad_credentials`: the provider refused the credential.
                 * @enum {string}
                 */
                status: "created" | "working" | "bad_credentials";
                /**
                 * Format: date-time
                 * @description Since when the connection does not work.
                 */
                statusSince?: string;
                tokenInfo?: components["schemas"]["TokenInfo"];
                /**
                 * Format: date-time
                 * @description When it was last changed. Absent until then.
                 */
                updateTime?: string;
            }[];
            /** @description The person. */
            consumer: {
                /** @description Name of the person. */
                consumerName: string;
                /** @description Your id of the person. */
                consumerRef: string;
            };
            form?: components["schemas"]["ConnectForm"];
            /** @description The group. */
            group: {
                /** @description Name of the group. */
                groupName: string;
                /** @description Your id of the group. */
                groupRef: string;
            };
            /** @description The installations of the group, newest first; 200 at most. */
            installations: {
                /** @description Id of the connection. */
                connectionId: string;
                /**
                 * Format: date-time
                 * @description When it was created.
                 */
                createTime: string;
                /** @description Why it is unhealthy. Absent while it is healthy. */
                healthReasons?: string[];
                /**
                 * @description Whether it works.
                 * @enum {string}
                 */
                healthStatus: "healthy" | "unhealthy";
                /** @description Id of the installation. */
                id: string;
                /** @description Id of the integration. */
                integrationId: string;
                /** @description Whether the reads of all its objects are paused. */
                isPaused: boolean;
                /**
                 * Format: date-time
                 * @description Until when its records were read, of the newest read that succeeded.
                 */
                lastReadTime?: string;
            }[];
            /** @description The integrations that may be installed. */
            integrations: {
                /** @description Whether customers set up a webhook at the provider and enter its secret. Absent if not. */
                asksForWebhookSecret?: boolean;
                /** @description Name that people know. */
                displayName: string;
                /** @description Id of the integration. */
                id: string;
                /** @description The newest installation of the group. */
                installationId?: string;
                /** @description Name of the integration. */
                name: string;
                /** @description Name of its provider. */
                provider: string;
                /** @description Name of its provider that people know. */
                providerDisplayName: string;
                /** @description Id of the latest revision. */
                revisionId: string;
            }[];
            /** @description Address of your logo. */
            logoUrl?: string;
            /** @description Id of the project. */
            projectId: string;
            /** @description The providers whose accounts may be connected. */
            providers: {
                /**
                 * @description What the preferred method asks a customer for. `password`: user name and password. `signIn`: a page of the provider. `keys`: other values. Absent if there is no method.
                 * @enum {string}
                 */
                asksFor?: "nothing" | "apiKey" | "password" | "signIn" | "keys";
                /** @description Name that people know. */
                displayName: string;
                /** @description How accounts are connected, the preferred kind first. Empty if the project cannot use any. */
                methods: ("none" | "fields" | "oauth2" | "steps")[];
                /** @description Name of the provider. */
                name: string;
            }[];
            /** @description The connect session of the token. Absent for other credentials. */
            session?: {
                /** @description The connection that was connected last. */
                connectionId?: string;
                /**
                 * Format: date-time
                 * @description Until when the token is valid.
                 */
                expireTime: string;
                /** @description Why the last attempt at the provider failed. */
                failure?: string;
                /** @description Id of the connect session. */
                id: string;
                /** @description Language of the page. */
                language?: string;
                /**
                 * @description What the session is for.
                 * @enum {string}
                 */
                purpose: "connect" | "install" | "manage";
                /** @description Where the browser goes at the end. */
                redirectUrl?: string;
                /**
                 * @description Colors of the page.
                 * @enum {string}
                 */
                theme?: "light" | "dark" | "auto";
            };
        };
        /** @description A customer’s account at a provider, with its encrypted credential. */
        Connection: {
            /** @description The API key. Present only if you request it or just sent it. */
            apiKey?: string;
            /**
             * @description How it authenticates with the provider.
             * @enum {string}
             */
            authScheme: "none" | "apiKey" | "basic" | "oauth2/authorizationCode" | "oauth2/authorizationCodePKCE" | "oauth2/clientCredentials" | "oauth2/password";
            consumer: components["schemas"]["Consumer"];
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            group: components["schemas"]["Group"];
            /** @description Id of the connection. */
            id: string;
            lastCheck?: components["schemas"]["LastCheck"];
            oauth2AuthorizationCode?: components["schemas"]["OAuth2Tokens"];
            /** @description Id of the project. */
            projectId: string;
            /** @description Name of the provider. */
            provider: string;
            providerApp?: components["schemas"]["ProviderApp"];
            /** @description The provider’s id of this person. */
            providerConsumerRef?: string;
            /** @description Values that the provider needs, by name: `{value, source, displayName?}`. */
            providerMetadata?: {
                [key: string]: unknown;
            };
            /** @description The workspace at the provider. */
            providerWorkspaceRef?: string;
            /** @description Name of the provider’s authentication scheme. Absent if it was connected before schemes had names. */
            schemeName?: string;
            /**
             * @description `created`: its credential has not been used yet. `working`: the last request succeeded. `bad_credentials`: the provider refused the credential.
             * @enum {string}
             */
            status: "created" | "working" | "bad_credentials";
            tokenInfo?: components["schemas"]["TokenInfo"];
            /**
             * Format: date-time
             * @description When it was last changed. Absent until then.
             */
            updateTime?: string;
        };
        /** @description The new values. */
        ConnectionChange: {
            /** @description API key of the account. */
            apiKey?: string;
            /** @description For HTTP Basic authentication. */
            basicAuth?: {
                /** @description Password. */
                password: string;
                /** @description User name. */
                username: string;
            };
            /** @description For the client credentials grant: the service gets the tokens with it. */
            oauth2ClientCredentials?: {
                /** @description Client id. */
                clientId: string;
                /** @description Client secret; empty for a public client. */
                clientSecret: string;
                /** @description Scopes to request. */
                scopes?: string[];
            };
            /** @description For the password grant: the service gets the tokens with it. */
            oauth2PasswordCredentials?: {
                /** @description Client id. */
                clientId: string;
                /** @description Client secret; empty for a public client. */
                clientSecret: string;
                /** @description Password. */
                password: string;
                /** @description Scopes to request. */
                scopes?: string[];
                /** @description User name. */
                username: string;
            };
            /** @description Values that the provider needs, by name: a plain value, or `{value, source}`. */
            providerMetadata?: unknown;
            /** @description The workspace at the provider; connections to two workspaces are two. */
            providerWorkspaceRef?: string;
        };
        /** @description What a notification `connection.created` tells. */
        ConnectionCreatedData: {
            /** @description Id of the connection. */
            connectionId: string;
            /** @description Name of that person. */
            consumerName: string;
            /** @description Your id of the person who connected the account. */
            consumerRef: string;
            /** @description Your id of the group. */
            groupRef: string;
            /** @description Id of the project. */
            projectId: string;
            /** @description Name of the provider. */
            provider: string;
        };
        /** @description Notification: An account was connected for the first time, by any authentication method: OAuth, an API key, a password or none. */
        ConnectionCreatedNotification: {
            data: components["schemas"]["ConnectionCreatedData"];
            /**
             * @description Always `connection.created`.
             * @constant
             */
            notificationType: "connection.created";
        };
        /** @description What a notification `connection.deleted` tells. */
        ConnectionDeletedData: {
            /** @description Id of the connection. */
            connectionId: string;
            /** @description Name of that person. */
            consumerName: string;
            /** @description Your id of the person who connected the account. */
            consumerRef: string;
            /** @description Your id of the group. */
            groupRef: string;
            /** @description Id of the project. */
            projectId: string;
            /** @description Name of the provider. */
            provider: string;
        };
        /** @description Notification: A connection was deleted, by request or with the last installation that used it. */
        ConnectionDeletedNotification: {
            data: components["schemas"]["ConnectionDeletedData"];
            /**
             * @description Always `connection.deleted`.
             * @constant
             */
            notificationType: "connection.deleted";
        };
        /** @description What a notification `connection.error` tells. */
        ConnectionErrorData: {
            /** @description Id of the connection. */
            connectionId: string;
            /** @description Name of that person. */
            consumerName: string;
            /** @description Your id of the person who connected the account. */
            consumerRef: string;
            /**
             * @deprecated
             * @description The same in one text. Deprecated: use `errors`.
             */
            error?: string;
            /** @description Why, in sentences. */
            errors?: string[];
            /** @description Your id of the group. */
            groupRef: string;
            /** @description Id of the project. */
            projectId: string;
            /** @description Name of the provider. */
            provider: string;
        };
        /** @description Notification: The provider refused the credential of a connection, and its status is now `bad_credentials`. Sent once, until the credential works again. */
        ConnectionErrorNotification: {
            data: components["schemas"]["ConnectionErrorData"];
            /**
             * @description Always `connection.error`.
             * @constant
             */
            notificationType: "connection.error";
        };
        /** @description What a notification `connection.refreshed` tells. */
        ConnectionRefreshedData: {
            /** @description Id of the connection. */
            connectionId: string;
            /** @description Name of that person. */
            consumerName: string;
            /** @description Your id of the person who connected the account. */
            consumerRef: string;
            /** @description Your id of the group. */
            groupRef: string;
            /** @description Id of the project. */
            projectId: string;
            /** @description Name of the provider. */
            provider: string;
        };
        /** @description Notification: The access token of a connection was renewed automatically: it was about to expire, was refused, or was unused for long. Not sent for a request with `refresh`. */
        ConnectionRefreshedNotification: {
            data: components["schemas"]["ConnectionRefreshedData"];
            /**
             * @description Always `connection.refreshed`.
             * @constant
             */
            notificationType: "connection.refreshed";
        };
        /** @description What a notification `connection.updated` tells. */
        ConnectionUpdatedData: {
            /** @description Id of the connection. */
            connectionId: string;
            /** @description Name of that person. */
            consumerName: string;
            /** @description Your id of the person who connected the account. */
            consumerRef: string;
            /** @description Your id of the group. */
            groupRef: string;
            /** @description Id of the project. */
            projectId: string;
            /** @description Name of the provider. */
            provider: string;
        };
        /** @description Notification: The same account was connected again, or its connection was changed. */
        ConnectionUpdatedNotification: {
            data: components["schemas"]["ConnectionUpdatedData"];
            /**
             * @description Always `connection.updated`.
             * @constant
             */
            notificationType: "connection.updated";
        };
        /** @description A page of this service on which a customer connects an account. */
        ConnectSession: {
            /** @description The resulting connection. Absent until there is one. */
            connectionId?: string;
            /** @description Your id of the person. */
            consumerRef: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /**
             * Format: date-time
             * @description Until when its link opens.
             */
            expireTime: string;
            /** @description Why the last attempt at the provider failed. Absent after a success. */
            failure?: string;
            /** @description Your id of the group. */
            groupRef: string;
            /** @description Id of the session. */
            id: string;
            /** @description The integrations that may be installed. Absent for all. */
            integrationIds?: string[];
            /** @description Name of the provider. Absent if the customer chooses one of several. */
            provider?: string;
            /** @description The providers whose accounts may be connected. Absent for all. */
            providers?: string[];
            /**
             * @description What the session is for.
             * @enum {string}
             */
            purpose: "connect" | "install" | "manage";
        };
        /** @description Whose account is to be connected, and where their browser goes afterwards. */
        ConnectSessionRequest: {
            /** @description A connection of this provider, group and consumer that gets a new credential. It keeps its id. */
            connectionId?: string;
            /** @description Name of the person; the ref when absent. */
            consumerName?: string;
            /** @description Your id of the person who connects the account. */
            consumerRef: string;
            /** @description Origins of the pages that may show the page in a frame: some of those in the connect settings of the project. By default all of them. */
            frameOrigins?: string[];
            /** @description Name of the group; its ref when absent. */
            groupName?: string;
            /** @description Your id of the group that the account belongs to. */
            groupRef: string;
            /** @description Id or name of the only integration of the session. It implies the provider. */
            integration?: string;
            /** @description Several integrations. With the purpose `manage`, all of the project if absent. */
            integrations?: string[];
            /** @description Language of the page, as `de` or `pt-BR`. By default that of the browser. */
            language?: string;
            /** @description Name of the provider in the catalog. */
            provider?: string;
            /** @description The provider app that the customer authorizes. By default the newest of the provider. */
            providerAppId?: string;
            /** @description Several providers, of which the customer chooses. */
            providers?: string[];
            /**
             * @description What the session is for; `connect` by default. `connect`: connect one account. `install`: connect accounts, and create and change installations of its integrations. `manage`: everything of the group, also to remove it.
             * @enum {string}
             */
            purpose?: "connect" | "install" | "manage";
            /** @description Where the browser goes when the account is connected, with `connectionId` and `status` in the query: `https`, or `http` on this computer. */
            redirectUrl?: string;
            /** @description Name of the way to authenticate, one of `schemes` of the provider; the first that fits when absent. The connection keeps it. */
            schemeName?: string;
            /**
             * @description Colors of the page; `auto` follows the browser.
             * @enum {string}
             */
            theme?: "light" | "dark" | "auto";
        };
        /** @description The same, with the link to the page. */
        ConnectSessionWithUrl: {
            /** @description The resulting connection. Absent until there is one. */
            connectionId?: string;
            /** @description Your id of the person. */
            consumerRef: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /**
             * Format: date-time
             * @description Until when its link opens.
             */
            expireTime: string;
            /** @description Why the last attempt at the provider failed. Absent after a success. */
            failure?: string;
            /** @description Your id of the group. */
            groupRef: string;
            /** @description Id of the session. */
            id: string;
            /** @description The integrations that may be installed. Absent for all. */
            integrationIds?: string[];
            /** @description Name of the provider. Absent if the customer chooses one of several. */
            provider?: string;
            /** @description The providers whose accounts may be connected. Absent for all. */
            providers?: string[];
            /**
             * @description What the session is for.
             * @enum {string}
             */
            purpose: "connect" | "install" | "manage";
            /** @description A bearer token for the components in a browser, valid until `expireTime`. It can do what `purpose` says, for this group only. It is shown only once. */
            token: string;
            /** @description The page to open. Anyone who has the URL can connect an account for this group. It is shown only once. */
            url: string;
        };
        /** @description An access token of the console, for the session of the browser. */
        ConsoleToken: {
            /** @description Sent as `Authorization: Bearer`; a JWT. */
            accessToken: string;
            /** @description Who is signed in. */
            builderId: string;
            /** @description The email of the builder. */
            email: string;
            /**
             * Format: date-time
             * @description When the access token expires.
             */
            expiresAt: string;
        };
        /** @description A person at one of your customers who connected an account. */
        Consumer: {
            /** @description Name of the person; the ref unless one was given. */
            consumerName: string;
            /** @description Your id of the person who connected the account. */
            consumerRef: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description Id of the project. */
            projectId: string;
            /**
             * Format: date-time
             * @description When it was last changed. Absent until then.
             */
            updateTime?: string;
        };
        /** @description What happened in a period. */
        Counts: {
            /** @description Attempts to deliver a message. */
            deliveries: number;
            /** @description Attempts that failed. */
            failedDeliveries: number;
            /** @description Those that got an error or no response. */
            failedProviderCalls: number;
            /** @description Reads that failed. */
            failedReads: number;
            /** @description Messages that were posted. */
            messagesPosted: number;
            /** @description Requests that were sent to the provider by reads, writes and the proxy. */
            providerCalls: number;
            /** @description Reads that ended. */
            reads: number;
            /** @description Records that were read. */
            recordsRead: number;
        };
        /** @description Counts of each interval of a range of time. */
        CountSeries: {
            /** @description `hour` or `day`. */
            interval: string;
            /** @description Every interval of the range, oldest first. An interval in which nothing happened has zeros. */
            results: {
                counts: components["schemas"]["Counts"];
                /**
                 * Format: date-time
                 * @description When the interval begins, in UTC.
                 */
                startTime: string;
            }[];
            total: components["schemas"]["Counts"];
        };
        /** @description A new JWT key. */
        CreateJWTKeyRequest: {
            /**
             * @description How tokens are signed; both words mean RS256.
             * @enum {string}
             */
            algorithm: "RS256" | "RSA";
            /** @description What people call the key. */
            label?: string;
            /** @description The same as `label`, which wins; one of the two is required. */
            name?: string;
            /** @description RSA public key of 2,048 bits or more: SPKI in PEM. */
            publicKeyPem: string;
        };
        /** @description Starts multi-step authentication with a provider, or continues it. */
        CustomAuthConnectRequest: {
            /** @description To continue: the parameters that the provider sent, from the popup’s message. */
            callbackParams?: {
                [key: string]: string;
            };
            /** @description Name of the person; the ref when absent. */
            consumerName?: string;
            /** @description Your id of the person who connects the account. */
            consumerRef?: string;
            /** @description Input variables of custom authentication. */
            customAuth?: {
                [key: string]: unknown;
            };
            /** @description Name of the group; its ref when absent. */
            groupName?: string;
            /** @description Your id of the group that the account belongs to. */
            groupRef?: string;
            /** @description The project: its id, or its name in any case. */
            projectIdOrName: string;
            /** @description Name of the provider in the catalog. */
            provider?: string;
            /** @description The provider app that the customer authorizes. By default the newest of the provider. */
            providerAppId?: string;
            /** @description Values that the provider needs, by name: a plain value, or `{value, source}`. */
            providerMetadata?: unknown;
            /** @description The workspace at the provider; connections to two workspaces are two. */
            providerWorkspaceRef?: string;
            /** @description Name of the way to authenticate, one of `schemes` of the provider; the first that fits when absent. The connection keeps it. */
            schemeName?: string;
            /** @description To continue: the session of the last response. All else but the project and `callbackParams` is known then. */
            sessionId?: string;
        };
        /** @description Either `redirect` or, when nothing is left to do, `connection`. */
        CustomAuthConnectResponse: {
            connection?: components["schemas"]["Connection"];
            /** @description What the customer has to do next. */
            redirect?: {
                /** @description Continue with this, once, within ten minutes. */
                sessionId: string;
                /** @description A page of the provider to open in its own window. */
                url: string;
            };
        };
        /** @description An input that a person enters when they connect an account. */
        CustomAuthInput: {
            /** @description Label in forms. */
            displayName: string;
            /** @description The provider’s page about it. */
            docsURL?: string;
            /**
             * @description Kind of field; a password when absent.
             * @enum {string}
             */
            fieldType?: "fieldTypeText" | "fieldTypePassword" | "fieldTypeSelect";
            /** @description Key in `customAuth`. */
            name: string;
            /** @description The choices of a select. */
            options?: {
                /** @description What is shown. */
                label: string;
                /** @description What is sent. */
                value: string;
            }[];
            /** @description Help next to the field. */
            prompt?: string;
        };
        /** @description Custom authentication. */
        CustomAuthOpts: {
            /** @description Headers of requests. */
            headers?: {
                /** @description Name. */
                name: string;
                /** @description Template over the inputs. */
                valueTemplate: string;
            }[];
            /** @description What each customer gives. */
            inputs?: components["schemas"]["CustomAuthInput"][];
            /** @description Needs multi-step authentication. */
            multiStep?: boolean;
            /** @description What the provider app gives. */
            providerInputs?: components["schemas"]["CustomAuthInput"][];
            /** @description Query parameters of requests. */
            queryParams?: {
                /** @description Name. */
                name: string;
                /** @description Template over the inputs. */
                valueTemplate: string;
            }[];
        };
        /** @description Records of one object of one installation, as webhooks are sent them: at most 300 KB. */
        DataMessage: {
            /**
             * @description What brought the records: a read, or events.
             * @enum {string}
             */
            action: "read" | "subscribe";
            /** @description Name of that person. */
            consumerName: string;
            /** @description Your id of the person who connected the account. */
            consumerRef: string;
            /** @description Name of the group. */
            groupName: string;
            /** @description Your id of the group whose account this is. */
            groupRef: string;
            /** @description Id of the installation. */
            installationId: string;
            /**
             * Format: date-time
             * @description When the config of the installation was changed last.
             */
            installationUpdateTime: string;
            /** @description Name of the object: the mapped one where the object has one, else the provider’s. */
            objectName: string;
            /** @description Of a read: id of its operation. */
            operationId?: string;
            /**
             * Format: date-time
             * @description When the operation began.
             */
            operationTime?: string;
            /** @description Id of the project. */
            projectId: string;
            /** @description Name of the provider. */
            provider: string;
            /** @description The provider’s name of the object. */
            rawObjectName?: string;
            /**
             * @description For a read: its cause.
             * @enum {string}
             */
            readType?: "backfill" | "scheduled" | "triggered";
            /** @description The records, where they are inline. */
            result?: components["schemas"]["ResultEntry"][];
            /** @description How the result is handed over. */
            resultInfo: {
                /**
                 * Format: uri
                 * @description With `url`: where to GET the JSON array of the records, without an API key, within 15 minutes.
                 */
                downloadUrl?: string;
                /** @description How many there are. */
                numRecords: number;
                /**
                 * @description `inline`: `result` has the records. `url`: download them from `downloadUrl`.
                 * @enum {string}
                 */
                type: "inline" | "url";
            };
            /** @description The workspace of the account, where the provider has workspaces. */
            workspace?: string;
        };
        /** @description Deleted records, delivered with `deleted: true`. */
        Deletions: {
            /**
             * @description Those that the provider reports.
             * @enum {string}
             */
            enabled?: "always";
            /** @description When those that it does not report are looked for: cron in UTC. */
            schedule?: string;
        };
        /** @description How many pages of an object are to be delivered. */
        DeliverResultsRequest: {
            /** @description The group whose pages to deliver. */
            groupRef: string;
            /** @description How many more pages are wanted; a page is one message, of `pageSize` records at most. */
            pages: number;
        };
        /** @description How records are delivered. */
        Delivery: {
            /**
             * @description `auto` where absent.
             * @enum {string}
             */
            mode?: "onRequest" | "auto";
            /** @description Records per message at most. */
            pageSize?: number;
        };
        /** @description Where messages go: one of your webhooks. */
        Destination: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description Why it was disabled, in a sentence. Absent while it is enabled. An extension. */
            disabledReason?: string;
            /**
             * Format: date-time
             * @description When it was disabled. An extension.
             */
            disabledTime?: string;
            /** @description Attempts that failed one after the other; absent when the last one succeeded. An extension. */
            failureCount?: number;
            /**
             * Format: date-time
             * @description Since when every attempt has failed; after five days it is disabled. Absent when the last one succeeded. An extension.
             */
            firstFailureTime?: string;
            /** @description Id of the destination. */
            id: string;
            /** @description Where and how to deliver. Secrets are `***`; use `includeSecrets` to see them. */
            metadata: {
                /** @description For `webhook`: Headers of every request. */
                headers?: {
                    [key: string]: string;
                };
                /** @description For `redis-stream`: About how many entries the stream keeps. By default, all. */
                maxLength?: number;
                /** @description For `redis-stream`: Key of the stream. Redis creates it with the first message. */
                stream?: string;
                /** @description For `webhook`: Where messages are posted to: https, or http inside MORTISE_ALLOW_PRIVATE_NETWORK. For `redis-stream`: The server, such as rediss://user:password@redis.example.com:6379/0: with TLS, or redis:// inside MORTISE_ALLOW_PRIVATE_NETWORK. */
                url?: string;
            };
            /** @description Name that manifests use; unique in the project. */
            name: string;
            /**
             * Format: date-time
             * @description After ten failures in a row: when one message finds out whether it is back; the others wait. An extension.
             */
            nextProbeTime?: string;
            /**
             * @description `failing`: its last attempts failed, and Mortise keeps trying. `disabled`: nothing is sent, and its messages are queued until it is enabled. An extension.
             * @enum {string}
             */
            status: "active" | "failing" | "disabled";
            /** @description One of `webhook`, `redis-stream`. */
            type: string;
            /**
             * Format: date-time
             * @description When it was last changed. Absent until then.
             */
            updateTime?: string;
        };
        /** @description What a test message met at a destination. */
        DestinationTest: {
            /** @description Whether the destination confirmed it: a webhook by 2xx. */
            delivered: boolean;
            /** @description How long it took. */
            durationMs: number;
            /** @description Why it was not delivered, in a sentence. */
            error?: string;
            /** @description `webhook-id` of the test message. It is not kept. */
            messageId: string;
            /** @description The beginning of the answer: 2 KB at most. */
            response?: string;
            /** @description Status of the answer; absent when there was none. */
            status?: number;
        };
        /** @description Changes of a destination: what `updateMask` names. */
        DestinationUpdate: {
            /** @description The new values of what the mask lists; anything else in it is ignored. */
            destination: {
                /** @description Where and how to deliver, by the type of the destination. */
                metadata?: {
                    /** @description For `webhook`: Headers of every request. */
                    headers?: unknown;
                    /** @description For `redis-stream`: About how many entries the stream keeps. By default, all. */
                    maxLength?: unknown;
                    /** @description For `redis-stream`: Key of the stream. Redis creates it with the first message. */
                    stream?: unknown;
                    /** @description For `webhook`: Where messages are posted to: https, or http inside MORTISE_ALLOW_PRIVATE_NETWORK. For `redis-stream`: The server, such as rediss://user:password@redis.example.com:6379/0: with TLS, or redis:// inside MORTISE_ALLOW_PRIVATE_NETWORK. */
                    url?: unknown;
                } & {
                    [key: string]: unknown;
                };
                /** @description The new name: letters, digits and dashes. */
                name?: string;
                /** @description Credentials. They are encrypted and never returned. */
                secrets?: {
                    [key: string]: unknown;
                };
                /** @description Cannot be changed. */
                type?: string;
            };
            /** @description What to change: `name`, `metadata`, `metadata.url`, `metadata.headers`, `metadata.stream`, `metadata.maxLength`. */
            updateMask: string[];
        };
        /** @description What a notification `destination.webhook.disabled` tells. */
        DestinationWebhookDisabledData: {
            /** @description Id of the destination. */
            destinationId: string;
            /** @description Name of the destination. */
            destinationName: string;
            /** @description Id of the project. */
            projectId: string;
            /**
             * Format: uri
             * @description Where it posts to. Possible secrets in it are `***`.
             */
            url: string;
        };
        /** @description Notification: A webhook was disabled: every attempt of five days failed, its endpoint answered 410 Gone, or someone disabled it. Never sent to that webhook. */
        DestinationWebhookDisabledNotification: {
            data: components["schemas"]["DestinationWebhookDisabledData"];
            /**
             * @description Always `destination.webhook.disabled`.
             * @constant
             */
            notificationType: "destination.webhook.disabled";
        };
        /** @description A destination, with its signing secret on request. */
        DestinationWithSecrets: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description Why it was disabled, in a sentence. Absent while it is enabled. An extension. */
            disabledReason?: string;
            /**
             * Format: date-time
             * @description When it was disabled. An extension.
             */
            disabledTime?: string;
            /** @description Attempts that failed one after the other; absent when the last one succeeded. An extension. */
            failureCount?: number;
            /**
             * Format: date-time
             * @description Since when every attempt has failed; after five days it is disabled. Absent when the last one succeeded. An extension.
             */
            firstFailureTime?: string;
            /** @description Id of the destination. */
            id: string;
            /** @description Where and how to deliver. Secrets are `***`; use `includeSecrets` to see them. */
            metadata: {
                /** @description For `webhook`: Headers of every request. */
                headers?: {
                    [key: string]: string;
                };
                /** @description For `redis-stream`: About how many entries the stream keeps. By default, all. */
                maxLength?: number;
                /** @description For `redis-stream`: Key of the stream. Redis creates it with the first message. */
                stream?: string;
                /** @description For `webhook`: Where messages are posted to: https, or http inside MORTISE_ALLOW_PRIVATE_NETWORK. For `redis-stream`: The server, such as rediss://user:password@redis.example.com:6379/0: with TLS, or redis:// inside MORTISE_ALLOW_PRIVATE_NETWORK. */
                url?: string;
            };
            /** @description Name that manifests use; unique in the project. */
            name: string;
            /**
             * Format: date-time
             * @description After ten failures in a row: when one message finds out whether it is back; the others wait. An extension.
             */
            nextProbeTime?: string;
            /** @description Only with `includeSecrets`. */
            secrets?: {
                /** @description Secret that signs messages: `whsec_` and base64. */
                webhookSigningKey?: string;
            };
            /**
             * @description `failing`: its last attempts failed, and Mortise keeps trying. `disabled`: nothing is sent, and its messages are queued until it is enabled. An extension.
             * @enum {string}
             */
            status: "active" | "failing" | "disabled";
            /** @description One of `webhook`, `redis-stream`. */
            type: string;
            /**
             * Format: date-time
             * @description When it was last changed. Absent until then.
             */
            updateTime?: string;
        };
        /** @description A second factor of a person. Its secret is never shown. */
        Factor: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description Id of the factor. */
            id: string;
            /**
             * @description `totp`: an authenticator app. `passkey`: a passkey.
             * @enum {string}
             */
            kind: "totp" | "passkey";
            /**
             * Format: date-time
             * @description When it was last used. Absent before the first use.
             */
            lastUseTime?: string;
            /** @description Its name, as you chose it. */
            name: string;
        };
        /** @description A reason why an installation fails. */
        FailingInstallation: {
            /** @description Id of its connection. */
            connectionId: string;
            /** @description Why it fails, in a sentence. */
            detail: string;
            /** @description Name of the group. */
            groupName: string;
            /** @description Your id of the group. */
            groupRef: string;
            /**
             * @description Whether the installation works.
             * @enum {string}
             */
            healthStatus: "healthy" | "unhealthy";
            /** @description Id of the installation. */
            installationId: string;
            /** @description Id of its integration. */
            integrationId: string;
            /** @description Name of its integration. */
            integrationName: string;
            /** @description The last error. Absent if there was none to keep. */
            lastError?: string;
            /** @description The provider’s name of the object that fails. Absent if all of them do. */
            objectName?: string;
            /** @description Name of the provider. */
            provider: string;
            /**
             * @description `bad_credentials`: the provider refuses the credential. `backfill_failed`: a backfill could not end. `reads_paused`: reads are paused after repeated failures. `subscription_failed`: the subscription at the provider could not be set up. `reads_failing`: the last reads failed and are tried again; the installation is still healthy.
             * @enum {string}
             */
            reason: "bad_credentials" | "backfill_failed" | "reads_paused" | "subscription_failed" | "reads_failing";
            /**
             * Format: date-time
             * @description When it failed. A retry that fails again counts.
             */
            since: string;
        };
        /** @description A page of reasons why installations fail. */
        FailingInstallationPage: {
            /** @description How to continue. */
            pagination: {
                /** @description Whether this page is the last. */
                done: boolean;
                /** @description Pass as `pageToken` for the next page. Absent on the last. */
                nextPageToken?: string;
            };
            /** @description The worst reason first, then the longest failure. */
            results: components["schemas"]["FailingInstallation"][];
        };
        /** @description A field that an account is to have. */
        FieldDefinition: {
            /** @description Of references. */
            association?: {
                /** @description The provider’s word, such as `lookup`. */
                associationType: string;
                /** @description The provider’s word for how many point at how many. */
                cardinality?: string;
                /** @description Names for people of the way back. */
                labels?: {
                    /** @description For several. */
                    plural?: string;
                    /** @description For one. */
                    singular?: string;
                };
                /** @description The provider’s word for what follows when the target goes. */
                onDelete?: string;
                /** @description Whether there must be a target. */
                required?: boolean;
                /** @description Name of the way back, at the target. */
                reverseLookupFieldName?: string;
                /** @description The field that it points at. */
                targetField?: string;
                /** @description The object that the value points at. */
                targetObject: string;
            };
            /** @description What the field is for. */
            description?: string;
            /** @description Its name for people. */
            displayName: string;
            /** @description The field’s name at the provider. */
            fieldName: string;
            /** @description Whether the provider is to find records by it fast. */
            indexed?: boolean;
            /** @description Of numbers. */
            numericOptions?: {
                /** @description Value of new records. */
                defaultValue?: number;
                /** @description Greatest value. */
                max?: number;
                /** @description Least value. */
                min?: number;
                /** @description Digits in all. */
                precision?: number;
                /** @description Digits behind the point. */
                scale?: number;
            };
            /** @description Whether a record needs it. */
            required?: boolean;
            /** @description Of texts and selects. */
            stringOptions?: {
                /** @description Value of new records. */
                defaultValue?: string;
                /** @description Most characters. */
                length?: number;
                /** @description Regular expression of the values. */
                pattern?: string;
                /** @description The choices of a select. They are added to the existing ones. */
                values?: string[];
                /** @description Whether nothing but the values may be chosen. */
                valuesRestricted?: boolean;
            };
            /** @description Whether no two records may have the same value. */
            unique?: boolean;
            /**
             * @description Kind of value; each provider knows some of them.
             * @enum {string}
             */
            valueType: "string" | "boolean" | "date" | "datetime" | "singleSelect" | "multiSelect" | "int" | "float" | "reference";
        };
        /** @description A field of an object. */
        FieldMetadata: {
            /** @description Display name: the provider’s, or made from the field’s name. */
            displayName: string;
            /** @description The provider’s name, the same as its key. */
            fieldName: string;
            /** @description Whether the account has added it. */
            isCustom?: boolean;
            /** @description Whether a new record needs it. */
            isRequired?: boolean;
            /** @description The provider’s own word for the type. */
            providerType?: string;
            /** @description Whether the provider refuses to write it. */
            readOnly?: boolean;
            /** @description Objects that its value may point at. */
            referenceTo?: string[];
            /** @description The values to choose from, of selects. */
            values?: {
                /** @description The value for people. */
                displayValue: string;
                /** @description The value in records. */
                value: string;
            }[];
            /**
             * @description Kind of value.
             * @enum {string}
             */
            valueType?: "string" | "boolean" | "singleSelect" | "multiSelect" | "date" | "datetime" | "int" | "float" | "reference" | "other";
        };
        /** @description What became of one field. */
        FieldUpsertResult: {
            /**
             * @description What was done at the provider.
             * @enum {string}
             */
            action: "create" | "update" | "none";
            /** @description The requested name of the field. */
            fieldName: string;
            /** @description The field as the provider answered it. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description What was left out, or why the field is not as requested. */
            warnings?: string[];
        };
        /** @description An operation in a list of a project. */
        FoundOperation: {
            /** @description `read`, `write` or `proxy`. */
            actionType: string;
            /** @description Id of the config that was current when the operation began. */
            configId: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description Your id of the group. Absent once the installation is deleted. */
            groupRef?: string;
            /** @description Id of the operation. */
            id: string;
            /** @description Id of the installation. */
            installationId: string;
            /** @description Id of the integration. */
            integrationId: string;
            /** @description Further information about the operation. */
            metadata?: {
                /** @description Names of the objects. */
                objects?: string[];
                /** @description Progress of a read. */
                progress?: {
                    /** @description Id of the installation. */
                    installationId: string;
                    /** @description Name of the object. */
                    objectName: string;
                    /** @description Id of the operation. */
                    operationId: string;
                    /** @description Expected number of records, if the provider reports it. */
                    recordsEstimatedTotal?: number;
                    /** @description Records read so far. */
                    recordsProcessed: number;
                };
                /** @description Retries: how often, and when. */
                retry?: {
                    [key: string]: unknown;
                };
                /** @description Ids of records that were written. */
                successfulRecordIds?: string[];
            } & {
                [key: string]: unknown;
            };
            /** @description Id of the project. */
            projectId: string;
            /**
             * @description What started a read. Absent for other operations, and for those of earlier releases.
             * @enum {string}
             */
            readType?: "backfill" | "scheduled" | "triggered";
            /** @description Name of the object. */
            resource?: string;
            /** @description The result in one sentence: `[object] text`. Absent while it runs. */
            result?: string;
            /**
             * @description Status of the operation.
             * @enum {string}
             */
            status: "in_progress" | "success" | "failure";
            /**
             * Format: date-time
             * @description When it was last changed. Absent until then.
             */
            updateTime?: string;
        };
        /** @description A page of the operations of a project. */
        FoundOperationPage: {
            /**
             * Format: date-time
             * @description The search came to operations of this time. Absent if this page is full, or the last.
             */
            examinedTime?: string;
            /** @description How to continue. */
            pagination: {
                /** @description Whether this page is the last. A page that is not may be empty. */
                done: boolean;
                /** @description Pass as `pageToken` for the next page. Absent on the last. */
                nextPageToken?: string;
            };
            /** @description Newest first. */
            results: components["schemas"]["FoundOperation"][];
        };
        /** @description A record that was found, in the form that messages have. */
        FoundRecord: {
            /** @description Linked records, by the field that reads them: lists of `{id}`. */
            associations?: {
                [key: string]: unknown;
            };
            /** @description What of the record is read, by the provider’s names in lower case. */
            fields: {
                [key: string]: unknown;
            };
            /** @description The record’s id at the provider. */
            id?: string;
            /** @description What of the record is mapped, by your names. */
            mappedFields: {
                [key: string]: unknown;
            };
            /** @description The record as the provider answered it. */
            raw: {
                [key: string]: unknown;
            };
        };
        /** @description An account to be connected, with one block of credentials: the one that its provider takes. */
        GenerateConnectionRequest: {
            /** @description API key of the account. */
            apiKey?: string;
            /** @description For HTTP Basic authentication. */
            basicAuth?: {
                /** @description Password. */
                password: string;
                /** @description User name. */
                username: string;
            };
            /** @description Name of the person; the ref when absent. */
            consumerName?: string;
            /** @description Your id of the person who connects the account. */
            consumerRef: string;
            /** @description Input variables of custom authentication. */
            customAuth?: {
                [key: string]: unknown;
            };
            /** @description Name of the group; its ref when absent. */
            groupName?: string;
            /** @description Your id of the group that the account belongs to. */
            groupRef: string;
            oauth2AuthorizationCode?: components["schemas"]["OAuth2Tokens"];
            /** @description For the client credentials grant: the service gets the tokens with it. */
            oauth2ClientCredentials?: {
                /** @description Client id. */
                clientId: string;
                /** @description Client secret; empty for a public client. */
                clientSecret: string;
                /** @description Scopes to request. */
                scopes?: string[];
            };
            /** @description For the password grant: the service gets the tokens with it. */
            oauth2PasswordCredentials?: {
                /** @description Client id. */
                clientId: string;
                /** @description Client secret; empty for a public client. */
                clientSecret: string;
                /** @description Password. */
                password: string;
                /** @description Scopes to request. */
                scopes?: string[];
                /** @description User name. */
                username: string;
            };
            /** @description Name of the provider in the catalog. */
            provider: string;
            /** @description Values that the provider needs, by name: a plain value, or `{value, source}`. */
            providerMetadata?: unknown;
            /** @description The workspace at the provider; connections to two workspaces are two. */
            providerWorkspaceRef?: string;
            /** @description Name of the way to authenticate, one of `schemes` of the provider; the first that fits when absent. The connection keeps it. */
            schemeName?: string;
        };
        /** @description One of your customers, who owns accounts. */
        Group: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description Name of the group; its ref unless one was given. */
            groupName: string;
            /** @description Your id of the group, such as a company. */
            groupRef: string;
            /** @description Id of the project. */
            projectId: string;
            /**
             * Format: date-time
             * @description When it was last changed. Absent until then.
             */
            updateTime?: string;
        };
        /** @description The integration as it can be configured for one account. */
        HydratedIntegration: {
            /** @description Name that users see. */
            displayName?: string;
            /** @description Key of one of the provider’s modules. */
            module?: string;
            /** @description Name of the integration. */
            name: string;
            /** @description Key of the provider. */
            provider: string;
            /** @description Requests through the proxy. */
            proxy?: {
                /** @description Whether requests are passed on. */
                enabled?: boolean;
                /** @description Whether to the module’s base URL. */
                useModule?: boolean;
            };
            /** @description What is read. */
            read?: {
                /** @description Settings of each object. */
                objects: components["schemas"]["HydratedIntegrationObject"][];
            };
            /** @description What is written. */
            write?: {
                /** @description Settings of each object. */
                objects: components["schemas"]["HydratedIntegrationWriteObject"][];
            };
        };
        /** @description A field that is read. */
        HydratedIntegrationField: {
            /** @description The provider’s field that is offered first to users who map the field. */
            default?: string;
            /** @description Name for people; there for every field with a `fieldName`. */
            displayName?: string;
            /** @description The provider’s name of the field. Absent: the user maps it. */
            fieldName?: string;
            /** @description Name of the field that users see. */
            mapToDisplayName?: string;
            /** @description Name of the field in messages. */
            mapToName?: string;
            /** @description The question for users who map the field. */
            prompt?: string;
        };
        /** @description An object that is read. */
        HydratedIntegrationObject: {
            /** @description Deprecated: all fields of the provider, to map from. */
            allFields?: components["schemas"]["HydratedIntegrationField"][];
            /** @description The provider’s description of all its fields. */
            allFieldsMetadata?: {
                [key: string]: components["schemas"]["FieldMetadata"];
            };
            /** @description What is read of the past. */
            backfill?: {
                /** @description How far back the backfill goes. */
                defaultPeriod: {
                    /** @description Days into the past. */
                    days?: number;
                    /** @description Whether all history is read. */
                    fullHistory?: boolean;
                };
            };
            /** @description Name of the destination that records are delivered to. */
            destination: string;
            /** @description Name for people. */
            displayName: string;
            /** @description Why the provider could not describe this object. Its fields are then those of the manifest. */
            error?: string;
            /** @description Name of the object that users see. */
            mapToDisplayName?: string;
            /** @description Name of the object in messages. */
            mapToName?: string;
            /** @description The provider’s name of the object. */
            objectName: string;
            /** @description Fields that users may choose; with `optionalFieldsAuto` all that are not required. */
            optionalFields?: components["schemas"]["HydratedIntegrationField"][];
            /**
             * @description Every field may be chosen.
             * @enum {string}
             */
            optionalFieldsAuto?: "all";
            /** @description Fields that every installation reads. */
            requiredFields?: components["schemas"]["HydratedIntegrationField"][];
            /** @description Cron expression, in UTC. Absent: read only when triggered. */
            schedule?: string;
        };
        /** @description An object that is written. */
        HydratedIntegrationWriteObject: {
            /** @description Name for people. */
            displayName: string;
            /** @description The provider’s name of the object. */
            objectName: string;
            /** @description Whether users may set default values. */
            valueDefaults?: {
                /** @description Users may set a default for any field. */
                allowAnyFields?: boolean;
            };
        };
        /** @description A revision together with the fields that the objects have in one connected account, for choosing among them. */
        HydratedRevision: {
            content: components["schemas"]["HydratedIntegration"];
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description Id of the revision. */
            id: string;
            /** @description Version of the manifest format. */
            specVersion: string;
        };
        /** @description Extension: the same flags as in `support`, in one object. */
        ImplementedCapabilities: {
            /** @description Delete. */
            delete: boolean;
            /** @description Proxy. */
            proxy: boolean;
            /** @description Read. */
            read: boolean;
            /** @description Search. */
            search: boolean;
            /** @description Subscribe. */
            subscribe: boolean;
            /** @description Write. */
            write: boolean;
        };
        /** @description One invalid input of a request. */
        InputValidationIssue: {
            /** @description Root causes, in sentences, in no order. */
            causes?: string[];
            /** @description `code` is the stable code of the kind of problem; more depends on the kind. */
            context?: {
                [key: string]: unknown;
            };
            /** @description What happened in this occurrence. */
            detail: string;
            /** @description The page that explains this kind of problem. */
            href?: string;
            /**
             * @description Where the invalid input is.
             * @enum {string}
             */
            in: "body" | "header" | "path" | "query";
            /** @description Identifies this occurrence. */
            instance?: string;
            /** @description Name of the invalid input, as `items[0].x` in a body. */
            name: string;
            /** @description How to resolve it. */
            remedy?: string;
            /** @description Look the request up in the log under this id. */
            requestId?: string;
            /** @description Whether the same request may succeed later. */
            retryable?: boolean;
            /**
             * Format: date-time
             * @description Not before this is it worth trying again.
             */
            retryAfter?: string;
            /** @description HTTP status. */
            status: number;
            /** @description The part of the service that answered. */
            subsystem?: string;
            /** @description Whom to write to, where the operator set it. */
            supportEmail?: string;
            /** @description Whom to call, where the operator set it. */
            supportPhone?: string;
            /** @description Where help is, where the operator set it. */
            supportUrl?: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            time?: string;
            /** @description Short English summary. */
            title: string;
            /** @description Problem type (RFC 9457, 3.1.1): always about:blank; the machine code is `context.code`. */
            type: string;
            /** @description The erroneous value. */
            value?: unknown;
        };
        /** @description An integration as one group uses it: a connection and a config. */
        Installation: {
            config: components["schemas"]["Config"];
            connection: components["schemas"]["Connection"];
            /** @description `consumer:{consumerRef}` of the person who connected the account. */
            createdBy: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            group: components["schemas"]["Group"];
            /** @description Why it is unhealthy, in sentences. Absent while it is healthy. */
            healthReasons?: string[];
            /**
             * @description `unhealthy` while its credential is refused, a backfill failed, a read is paused after repeated failures, or its subscription cannot be set up.
             * @enum {string}
             */
            healthStatus: "healthy" | "unhealthy";
            /** @description Id of the installation. */
            id: string;
            /** @description Id of the integration that is installed. */
            integrationId: string;
            /**
             * @description Status of its newest operation.
             * @enum {string}
             */
            lastOperationStatus?: "success" | "failure" | "in_progress";
            /** @description Extension: OAuth scopes that its objects need and the account did not grant. Absent if none is missing or nothing is known, and in lists unless `includeMissingScopes` is set. */
            missingScopes?: components["schemas"]["MissingScope"][];
            /** @description Id of the project. */
            projectId: string;
            /**
             * Format: date-time
             * @description When it was last changed. Absent until then.
             */
            updateTime?: string;
        };
        /** @description What a notification `installation.created` tells. */
        InstallationCreatedData: {
            /** @description The content of the installation’s config. */
            config?: {
                [key: string]: unknown;
            };
            /**
             * Format: uri
             * @description Replaces `config` when the notification would be larger than 300 KB: a URL to GET it, without an API key, valid for 15 minutes.
             */
            configURL?: string;
            /** @description Id of its connection. */
            connectionId: string;
            /** @description Name of that person. */
            consumerName: string;
            /** @description Your id of the person who connected the account. */
            consumerRef: string;
            /** @description Name of the group. */
            groupName: string;
            /** @description Your id of the group. */
            groupRef: string;
            /** @description Id of the installation. */
            installationId: string;
            /** @description Id of the integration. */
            integrationId: string;
            /** @description Name of the integration. */
            integrationName: string;
            /** @description Id of the project. */
            projectId: string;
            /** @description Name of the provider. */
            provider: string;
        } & (unknown | unknown);
        /** @description Notification: An integration was installed, by request or automatically. */
        InstallationCreatedNotification: {
            data: components["schemas"]["InstallationCreatedData"];
            /**
             * @description Always `installation.created`.
             * @constant
             */
            notificationType: "installation.created";
        };
        /** @description What a notification `installation.deleted` tells. */
        InstallationDeletedData: {
            /** @description The content of the installation’s config. */
            config?: {
                [key: string]: unknown;
            };
            /**
             * Format: uri
             * @description Replaces `config` when the notification would be larger than 300 KB: a URL to GET it, without an API key, valid for 15 minutes.
             */
            configURL?: string;
            /** @description Id of its connection. */
            connectionId: string;
            /** @description Name of that person. */
            consumerName: string;
            /** @description Your id of the person who connected the account. */
            consumerRef: string;
            /** @description Name of the group. */
            groupName: string;
            /** @description Your id of the group. */
            groupRef: string;
            /** @description Id of the installation. */
            installationId: string;
            /** @description Id of the integration. */
            integrationId: string;
            /** @description Name of the integration. */
            integrationName: string;
            /** @description Id of the project. */
            projectId: string;
            /** @description Name of the provider. */
            provider: string;
        } & (unknown | unknown);
        /** @description Notification: An installation was deleted, by request or with its integration. */
        InstallationDeletedNotification: {
            data: components["schemas"]["InstallationDeletedData"];
            /**
             * @description Always `installation.deleted`.
             * @constant
             */
            notificationType: "installation.deleted";
        };
        /** @description Whether an installation works, and how far its reads are. */
        InstallationStatus: {
            /** @description Why it is unhealthy. Absent while it is healthy. */
            healthReasons?: string[];
            /**
             * @description Whether the installation works.
             * @enum {string}
             */
            healthStatus: "healthy" | "unhealthy";
            /** @description The objects that it reads, in the order of the manifest. */
            objects: {
                /** @description Name for people: that of the manifest, of the provider file, or made from the name. */
                displayName: string;
                /** @description Why reads fail. */
                failure?: {
                    /** @description Why, in one sentence. */
                    detail: string;
                    /**
                     * Format: date-time
                     * @description When it failed.
                     */
                    since?: string;
                };
                /**
                 * Format: date-time
                 * @description Until when its changes were read. A read that failed does not count.
                 */
                lastReadTime?: string;
                /**
                 * Format: date-time
                 * @description When the next one starts. Absent while the object is paused.
                 */
                nextReadTime?: string;
                /** @description The provider’s name of the object. */
                objectName: string;
                /** @description Records of the backfill so far. */
                recordsRead?: number;
                /** @description Estimate of the records of the backfill. */
                recordsTotal?: number;
                /**
                 * @description `backfilling`: existing records are read. `scheduled`: the next read has a time. `paused`: reads are paused. `failing`: the last reads failed. `idle`: nothing is scheduled.
                 * @enum {string}
                 */
                state: "backfilling" | "scheduled" | "paused" | "failing" | "idle";
            }[];
        };
        /** @description What a notification `installation.updated` tells. */
        InstallationUpdatedData: {
            /** @description The content of the installation’s config. */
            config?: {
                [key: string]: unknown;
            };
            /**
             * Format: uri
             * @description Replaces `config` when the notification would be larger than 300 KB: a URL to GET it, without an API key, valid for 15 minutes.
             */
            configURL?: string;
            /** @description Id of its connection. */
            connectionId: string;
            /** @description Name of that person. */
            consumerName: string;
            /** @description Your id of the person who connected the account. */
            consumerRef: string;
            /** @description Name of the group. */
            groupName: string;
            /** @description Your id of the group. */
            groupRef: string;
            /** @description Id of the installation. */
            installationId: string;
            /** @description Id of the integration. */
            integrationId: string;
            /** @description Name of the integration. */
            integrationName: string;
            /** @description The previous content of the config. The same if only the connection changed. */
            lastConfig?: {
                [key: string]: unknown;
            };
            /**
             * Format: uri
             * @description Replaces `lastConfig`, like `configURL`.
             */
            lastConfigURL?: string;
            /** @description Id of the project. */
            projectId: string;
            /** @description Name of the provider. */
            provider: string;
        } & ((unknown | unknown) & (unknown | unknown));
        /** @description Notification: The config or the connection of an installation changed. Not sent when reads are paused or resumed. */
        InstallationUpdatedNotification: {
            data: components["schemas"]["InstallationUpdatedData"];
            /**
             * @description Always `installation.updated`.
             * @constant
             */
            notificationType: "installation.updated";
        };
        /** @description The webhook that a customer sets up at the provider, for one installation. */
        InstallationWebhook: {
            /** @description Name of the provider that people know. */
            providerDisplayName: string;
            /** @description The secret of the webhook, never its value. Absent where the provider has another key. */
            secret?: {
                /** @description What the provider calls the secret. */
                displayName: string;
                /** @description Page that says how to set up the webhook. */
                docsUrl?: string;
                /**
                 * Format: date-time
                 * @description Until when the secret that it replaced is valid, too.
                 */
                previousExpireTime?: string;
                /** @description Hint of the provider file. */
                prompt?: string;
                /**
                 * Format: date-time
                 * @description When it was entered last.
                 */
                setTime?: string;
                /**
                 * @description `missing`: nobody entered the secret yet. Mortise refuses every event until then.
                 * @enum {string}
                 */
                state: "missing" | "set";
            };
            /** @description Receives the events: the customer enters it at the provider. */
            url: string;
        };
        /** @description What you built on a provider: an integration, defined by its latest revision. */
        Integration: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description Id of the integration; stays the same over all revisions. */
            id: string;
            latestRevision: components["schemas"]["Revision"];
            /** @description Name, unique in the project; usable in paths instead of the id. */
            name: string;
            /** @description Id of the project. */
            projectId: string;
            /** @description The provider that the integration connects to. */
            provider: string;
            /**
             * Format: date-time
             * @description When it was last changed. Absent until then.
             */
            updateTime?: string;
        };
        /** @description An integration as the manifest defines it. */
        IntegrationContent: {
            /** @description Name that users see. */
            displayName?: string;
            /** @description Key of one of the provider's modules. */
            module?: string;
            /** @description Name, unique in the project. */
            name: string;
            /** @description Key of the provider in the catalog. */
            provider: string;
            proxy?: components["schemas"]["ProxyIntegration"];
            read?: components["schemas"]["ReadIntegration"];
            subscribe?: components["schemas"]["SubscribeIntegration"];
            watchSchema?: components["schemas"]["WatchSchema"];
            write?: components["schemas"]["WriteIntegration"];
        };
        /** @description A field that is read. */
        IntegrationField: {
            /** @description The provider's field that is offered first to users who map the field. */
            default?: string;
            /** @description The provider's name of the field, or a nested one as $['a']['b']. Absent: the user maps it. */
            fieldName?: string;
            /** @description Name of the field that users see. */
            mapToDisplayName?: string;
            /** @description Name of the field in messages. */
            mapToName?: string;
            /** @description The question for users who map the field. */
            prompt?: string;
        };
        /** @description Exactly one of the two. */
        IntegrationsSource: {
            /** @description The manifest as YAML, at most 2 MB. */
            sourceYaml?: string;
            /** @description URL of a zip with the manifest, at most 10 MB: https, or `gs://{bucket}/{path}` of an upload from generateUploadUrl. */
            sourceZipUrl?: string;
        };
        /** @description An invitation of an email address to an organization. */
        Invite: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description Id of the invite. */
            id: string;
            /** @description The invited email address, in lowercase. */
            invitedEmail: string;
            /** @description Id of the organization. */
            parentId: string;
            /**
             * @description What the invite is to.
             * @enum {string}
             */
            parentType: "org";
            /**
             * @description Role that the person gets. An extension.
             * @enum {string}
             */
            role?: "viewer" | "operator" | "developer" | "owner";
            /**
             * @description A pending invite expires 14 days after its creation.
             * @enum {string}
             */
            status: "pending" | "accepted" | "revoked" | "expired";
            /**
             * Format: date-time
             * @description When it was last changed. Absent until then.
             */
            updateTime?: string;
        };
        /** @description Your public key. Tokens that your server signs with the private key are credentials of single consumers. */
        JWTKey: {
            /** @description Whether the key works. */
            active: boolean;
            /**
             * @description Kind of the key.
             * @enum {string}
             */
            algorithm: "RSA";
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description Id of the key: the `kid` of the tokens that are signed with it. */
            id: string;
            /** @description What people call the key. */
            label: string;
            /** @description The project that the key belongs to. */
            projectId: string;
            /** @description The public key: SPKI in PEM. */
            publicKeyPem: string;
            /**
             * Format: date-time
             * @description When it was last changed. Absent until then.
             */
            updateTime: string;
        };
        /** @description Result of the last check of the credential. Absent until the first check is done. */
        LastCheck: {
            /**
             * @description `works`: the provider accepted the credential. `refused`: the provider refused it or denied access. `unreachable`: no usable answer. `notChecked`: the provider has no health check.
             * @enum {string}
             */
            outcome: "works" | "refused" | "unreachable" | "notChecked";
            /** @description The reason, in one sentence. Absent when it works. */
            reason?: string;
            /**
             * Format: date-time
             * @description When the check ended.
             */
            time: string;
        };
        /** @description One line that an operation logged. */
        Log: {
            /** @description What happened. */
            message: {
                /** @description Facts about it. */
                details?: {
                    [key: string]: string;
                };
                /** @description What went wrong. */
                error?: string;
                /** @description What happened. */
                msg: string;
                /** @description Id of the operation. */
                operation_id?: string;
            } & {
                [key: string]: unknown;
            };
            /**
             * @description How grave it is.
             * @enum {string}
             */
            severity: "DEBUG" | "INFO" | "WARNING" | "ERROR";
            /**
             * Format: date-time
             * @description When it happened.
             */
            timestamp: string;
        };
        /** @description Something that is wrong, or unwise, in a manifest. */
        ManifestFinding: {
            /** @description Column, counted from 1; 0 where there is none. */
            column: number;
            /**
             * @description Errors stop a deploy, advice does not.
             * @enum {string}
             */
            level: "error" | "advice";
            /** @description Line, counted from 1; 0 where there is none. */
            line: number;
            /** @description What is wrong. */
            message: string;
            /** @description Where in the document, as `$.integrations[0].name`. */
            path: string;
            /** @description Id of the rule. */
            rule: string;
            /** @description What to do about it. */
            suggestion?: string;
            /** @description The offending value where it is a plain one. */
            value?: unknown;
        };
        /** @description One message for a destination: its subject and its delivery state. */
        Message: {
            /** @description Attempts that have ended. */
            attempts: number;
            /** @description Size of the body. */
            bytes: number;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description Id of the destination; absent while none of its name exists. */
            destinationId?: string;
            /** @description Name of the destination that it was posted to. */
            destinationName: string;
            /**
             * Format: date-time
             * @description When it was delivered or failed.
             */
            endTime?: string;
            /** @description For a notification: its event. */
            eventType?: string;
            /** @description Your id of the group. Absent once the installation is deleted. */
            groupRef?: string;
            /** @description Id of the message: `webhook-id` of every attempt. */
            id: string;
            /** @description Id of its installation. */
            installationId?: string;
            /** @description Id of the integration. Absent once the installation is deleted. */
            integrationId?: string;
            /**
             * @description What it brings.
             * @enum {string}
             */
            kind: "read" | "subscribe" | "schema.watch" | "notification";
            /**
             * Format: date-time
             * @description For a pending message that is not being sent: when it is sent next, unless its destination queues it.
             */
            nextAttemptTime?: string;
            /** @description Id of the operation that created it. */
            operationId?: string;
            /**
             * @description `pending` until it was delivered, or has failed after its last attempt.
             * @enum {string}
             */
            state: "pending" | "delivered" | "failed" | "discarded";
        };
        /** @description One attempt to deliver a message. */
        MessageAttempt: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description Id of the destination that it went to. */
            destinationId: string;
            /** @description How long it took. */
            durationMs: number;
            /** @description Why it failed, in a sentence. Absent when it delivered. */
            error?: string;
            /** @description Starts at 1. Continues when the message is replayed. */
            number: number;
            /** @description The beginning of the answer: 2 KB at most. */
            response?: string;
            /** @description Status of the answer; absent when there was none. */
            status?: number;
        };
        /** @description A request to send messages again. */
        MessageReplay: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /**
             * Format: date-time
             * @description When it was done. Absent until then.
             */
            doneTime?: string;
            /** @description Id of the replay. */
            id: string;
            /** @description Requested messages that were found. */
            matched: number;
            /** @description Ids that name no message, or one that retention has dropped. */
            missing: number;
            /** @description Those that are sent again, each once. */
            requeued: number;
            /** @description Those that were pending anyway. */
            skipped: number;
            /**
             * @description State of the replay. The counts grow until it is done.
             * @enum {string}
             */
            status: "in_progress" | "done";
        };
        /** @description A message with its body. */
        MessageWithPayload: {
            /** @description Attempts that have ended. */
            attempts: number;
            /** @description Size of the body. */
            bytes: number;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description Id of the destination; absent while none of its name exists. */
            destinationId?: string;
            /** @description Name of the destination that it was posted to. */
            destinationName: string;
            /**
             * Format: date-time
             * @description When it was delivered or failed.
             */
            endTime?: string;
            /** @description For a notification: its event. */
            eventType?: string;
            /** @description Your id of the group. Absent once the installation is deleted. */
            groupRef?: string;
            /** @description Id of the message: `webhook-id` of every attempt. */
            id: string;
            /** @description Id of its installation. */
            installationId?: string;
            /** @description Id of the integration. Absent once the installation is deleted. */
            integrationId?: string;
            /**
             * @description What it brings.
             * @enum {string}
             */
            kind: "read" | "subscribe" | "schema.watch" | "notification";
            /**
             * Format: date-time
             * @description For a pending message that is not being sent: when it is sent next, unless its destination queues it.
             */
            nextAttemptTime?: string;
            /** @description Id of the operation that created it. */
            operationId?: string;
            /** @description The body as JSON, as an attempt would send it now. As text if it is not JSON. */
            payload: unknown;
            /**
             * @description `pending` until it was delivered, or has failed after its last attempt.
             * @enum {string}
             */
            state: "pending" | "delivered" | "failed" | "discarded";
        };
        /** @description A fact about an account that a person enters. */
        MetadataItemInput: {
            /** @description Used when none is given. */
            defaultValue?: string;
            /** @description Label in forms. */
            displayName?: string;
            /** @description The provider’s page about it. */
            docsURL?: string;
            /** @description Modules that need it; all modules when absent. */
            moduleDependencies?: {
                [key: string]: Record<string, never>;
            };
            /** @description Name of the value. */
            name: string;
            /** @description Help next to the field. */
            prompt?: string;
        };
        /** @description A permission that Mortise requested and the account did not grant. */
        MissingPermission: {
            /** @description What it allows, from the provider file. */
            description?: string;
            /** @description What needs it. Empty if only the provider app lists it. */
            neededFor: {
                /**
                 * @description What your integrations do with the object.
                 * @enum {string}
                 */
                action: "read" | "write" | "delete" | "subscribe";
                /** @description Name that people know. */
                displayName: string;
                /** @description Whether every installation needs it: the manifest reads the object always. */
                isRequired: boolean;
                /** @description The provider’s name of the object. */
                objectName: string;
            }[];
            /** @description The OAuth scope. */
            scope: string;
        };
        /** @description An OAuth scope that is missing. */
        MissingScope: {
            /**
             * @description What needs it.
             * @enum {string}
             */
            action: "read" | "write" | "delete" | "subscribe";
            /** @description The scope, or several of which one is enough. */
            anyOf: string[];
            /** @description The object that needs it. */
            objectName: string;
        };
        /** @description A part of a provider with its own base URL and capabilities. */
        ModuleInfo: {
            /** @description Base URL of the module. */
            baseURL: string;
            /** @description Name for people. */
            displayName: string;
            implemented: components["schemas"]["ImplementedCapabilities"];
            /** @description Extension: OAuth scopes that objects need, by object. `*` stands for objects that are not named. Absent where nothing is known. */
            objectScopes?: {
                [key: string]: components["schemas"]["ObjectScopes"];
            };
            subscribeRequirements?: components["schemas"]["SubscribeRequirements"];
            support: components["schemas"]["ProviderSupport"];
        };
        /** @description A session of a person. Its tokens are never shown. */
        MySession: {
            /** @description The address that the sign-in came from, if known. */
            address?: string;
            /** @description The browser or program that signed in, such as `Firefox on Linux`, if known. */
            client?: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description Whether it is the session of this request. */
            current: boolean;
            /** @description Id of the session. */
            id: string;
            /**
             * @description `browser`: a cookie of the pages. `api`: a program with refresh tokens. `cli`: the command line `amp`.
             * @enum {string}
             */
            kind: "api" | "browser" | "cli";
            /**
             * Format: date-time
             * @description When it was last used, to the hour.
             */
            lastUseTime: string;
        };
        /** @description A new destination. */
        NewDestination: {
            /** @description Where and how to deliver, by the type of the destination. */
            metadata: {
                /** @description For `webhook`: Headers of every request. */
                headers?: unknown;
                /** @description For `redis-stream`: About how many entries the stream keeps. By default, all. */
                maxLength?: unknown;
                /** @description For `redis-stream`: Key of the stream. Redis creates it with the first message. */
                stream?: unknown;
                /** @description For `webhook`: Where messages are posted to: https, or http inside MORTISE_ALLOW_PRIVATE_NETWORK. For `redis-stream`: The server, such as rediss://user:password@redis.example.com:6379/0: with TLS, or redis:// inside MORTISE_ALLOW_PRIVATE_NETWORK. */
                url?: unknown;
            } & {
                [key: string]: unknown;
            };
            /** @description 1 to 128 letters, digits and dashes; unique in the project. */
            name: string;
            /** @description Credentials. They are encrypted and never returned. */
            secrets?: {
                [key: string]: unknown;
            };
            /** @description One of `webhook`, `redis-stream`. */
            type: string;
        };
        /** @description A new route from a type of event to a topic. */
        NewEventTopicRoute: {
            eventType: components["schemas"]["NotificationEventType"];
            /** @description Id of the topic. */
            topicId: string;
        };
        /** @description A factor that was set up. The first one of an account brings recovery codes. */
        NewFactor: {
            factor: components["schemas"]["Factor"];
            /** @description Ten recovery codes, each for one use. Shown only here: store them where you find them without your device. */
            recoveryCodes?: string[];
        };
        /** @description An invite that was just made, with the link that accepts it. */
        NewInvite: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description Id of the invite. */
            id: string;
            /** @description The invited email address, in lowercase. */
            invitedEmail: string;
            /** @description The link of the invite, for you to pass on. Present only here, and only if the service has no mail server. An extension. */
            link?: string;
            /** @description Id of the organization. */
            parentId: string;
            /**
             * @description What the invite is to.
             * @enum {string}
             */
            parentType: "org";
            /**
             * @description Role that the person gets. An extension.
             * @enum {string}
             */
            role?: "viewer" | "operator" | "developer" | "owner";
            /**
             * @description A pending invite expires 14 days after its creation.
             * @enum {string}
             */
            status: "pending" | "accepted" | "revoked" | "expired";
            /**
             * Format: date-time
             * @description When it was last changed. Absent until then.
             */
            updateTime?: string;
        };
        /** @description Which messages: exactly one of `messageIds`, `range` and `failedOf`. */
        NewMessageReplay: {
            /** @description Id or name of a destination: all messages to it that have failed. */
            failedOf?: string;
            /** @description Ids of messages, delivered ones too. */
            messageIds?: string[];
            /** @description Messages by the time when they were posted. */
            range?: {
                /** @description Id or name of a destination; all when absent. */
                destination?: string;
                /**
                 * Format: date-time
                 * @description Posted at this time or later.
                 */
                from: string;
                /** @description States of the messages in the range. By default only `failed`. */
                states?: ("failed" | "delivered")[];
                /**
                 * Format: date-time
                 * @description Posted before this time.
                 */
                to: string;
            };
        };
        /** @description A new provider app. */
        NewProviderApp: {
            /** @description Extension: hosts that receive the client secret, of customers who run the provider themselves: `git.acme.com`, or `*.acme.com` for every name below. Needed only where the file of the provider does not name the host. */
            allowedHosts?: string[];
            /** @description Client id of the app at the provider. */
            clientId: string;
            /** @description Client secret; never shown again. */
            clientSecret: string;
            /** @description What the provider calls the app. */
            externalRef?: string;
            metadata?: components["schemas"]["ProviderAppMetadata"];
            /** @description Name of the provider. */
            provider: string;
            /** @description Scopes to request from customers. Lists inside the list are flattened. */
            scopes?: (string | string[])[];
        };
        /** @description A new route from a topic to a destination. */
        NewTopicDestinationRoute: {
            /** @description Id of the destination. */
            destinationId: string;
            /** @description Id of the topic. */
            topicId: string;
        };
        /** @description Leads events of one type to a topic. */
        NotificationEventTopicRoute: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            eventType: components["schemas"]["NotificationEventType"];
            /** @description Id of the route. */
            id: string;
            /** @description Id of the project. */
            projectId: string;
            /** @description The topic that events of this type are routed to. */
            topicId: string;
            /**
             * Format: date-time
             * @description When it was last changed. Absent until then.
             */
            updateTime?: string;
        };
        /**
         * @description What happened.
         * @enum {string}
         */
        NotificationEventType: "connection.created" | "connection.error" | "connection.refreshed" | "connection.updated" | "connection.deleted" | "installation.created" | "installation.updated" | "installation.deleted" | "read.schedule.paused" | "read.backfill.done" | "read.backfill.error" | "read.triggered.done" | "read.triggered.error" | "write.async.done" | "subscribe.create.error" | "destination.webhook.disabled";
        /** @description OAuth 2.0. */
        Oauth2Opts: {
            /** @description Where the access token goes when not `Authorization: Bearer`. */
            accessTokenOpts?: {
                /**
                 * @description How it is attached.
                 * @enum {string}
                 */
                attachmentType: "accessTokenHeaderAttachment";
                /** @description The header that it is sent in. */
                header?: {
                    /** @description Name of the header. */
                    name: string;
                    /** @description Text before the value. */
                    valuePrefix?: string;
                };
            };
            /** @description `audience` of the request. */
            audience?: string[];
            /** @description Authorization endpoint. */
            authURL?: string;
            /** @description Further parameters of the authorization URL. */
            authURLParams?: {
                [key: string]: string;
            };
            /** @description The provider’s page about it. */
            docsURL?: string;
            /** @description Scopes must be requested. */
            explicitScopesRequired: boolean;
            /** @description The customer names a workspace first. */
            explicitWorkspaceRequired: boolean;
            /**
             * @description How tokens are obtained.
             * @enum {string}
             */
            grantType: "authorizationCode" | "authorizationCodePKCE" | "clientCredentials" | "password";
            /** @description How often unused tokens are renewed; every 24 hours when absent. */
            keepAliveIntervalHours?: number;
            /** @description Scope templates by scope. */
            scopeMappings?: {
                [key: string]: string;
            };
            /** @description Keys of the token response that are kept. */
            tokenMetadataFields: {
                /** @description Key of the person. */
                consumerRefField?: string;
                /** @description Further values that are kept. */
                otherFields?: {
                    /** @description Regular expression whose group `result` is the part that is kept. */
                    capture?: string;
                    /** @description Label. */
                    displayName: string;
                    /** @description Key in `providerMetadata` of the connection. */
                    name: string;
                    /** @description Path in the token response. */
                    path: string;
                }[];
                /** @description Key of the scopes. */
                scopesField?: string;
                /** @description Key of the workspace. */
                workspaceRefField?: string;
            };
            /** @description Token endpoint. */
            tokenURL: string;
        };
        /** @description Tokens of an OAuth connection. */
        OAuth2Tokens: {
            /** @description The token that requests use. */
            accessToken?: {
                /**
                 * Format: date-time
                 * @description When it expires.
                 */
                expiresAt?: string;
                /**
                 * Format: date-time
                 * @description When it was issued.
                 */
                issuedAt?: string;
                /** @description The token itself. */
                token: string;
            };
            /** @description The token that gets the next access token. */
            refreshToken?: {
                /**
                 * Format: date-time
                 * @description When it expires.
                 */
                expiresAt?: string;
                /**
                 * Format: date-time
                 * @description When it was issued.
                 */
                issuedAt?: string;
                /** @description The token itself. */
                token: string;
            };
            /** @description Granted scopes. */
            scopes?: string[];
        };
        /** @description Whose account is to be connected, at which provider. */
        OAuthConnectRequest: {
            /** @description Name of the person; the ref when absent. */
            consumerName?: string;
            /** @description Your id of the person who connects the account. */
            consumerRef: string;
            /**
             * @description Whether only the browser that opens the URL can finish: the URL is one of this service, which sets a cookie and redirects to the provider. `false` answers the URL of the provider itself, for a server that opens it on its own; it is ignored from frontend keys and consumer tokens.
             * @default true
             */
            enableCSRFProtection: boolean;
            /** @description Name of the group; its ref when absent. */
            groupName?: string;
            /** @description Your id of the group that the account belongs to. */
            groupRef: string;
            /** @description The project: its id, or its name in any case. */
            projectIdOrName: string;
            /** @description Name of the provider in the catalog. */
            provider: string;
            /** @description The provider app that the customer authorizes. By default the newest of the provider. */
            providerAppId?: string;
            /** @description Values that the provider needs, by name: a plain value, or `{value, source}`. */
            providerMetadata?: unknown;
            /** @description The workspace at the provider; connections to two workspaces are two. */
            providerWorkspaceRef?: string;
            /** @description Name of the way to authenticate, one of `schemes` of the provider; the first that fits when absent. The connection keeps it. */
            schemeName?: string;
        };
        /** @description The fields of one object in one account. */
        ObjectMetadata: {
            /** @description Name for people. */
            displayName?: string;
            /** @description By the provider’s name; nested ones as `$['a']['b']`. */
            fields: {
                [key: string]: components["schemas"]["FieldMetadata"];
            };
            /** @description Its name in messages, where the manifest gives it one. */
            mappedObjectName?: string;
            /** @description The provider’s name of the object. */
            name: string;
        };
        /** @description What an action needs: one scope of each list. Not known for an action that is absent. */
        ObjectScopes: {
            /** @description To delete records. */
            delete?: string[][];
            /** @description To read records. */
            read?: string[][];
            /** @description To subscribe to changes. */
            subscribe?: string[][];
            /** @description To create and update records. */
            write?: string[][];
        };
        /** @description One piece of work for an installation, such as a read of one object. */
        Operation: {
            /** @description `read`, `write` or `proxy`. */
            actionType: string;
            /** @description Id of the config that was current when the operation began. */
            configId: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description Id of the operation. */
            id: string;
            /** @description Id of the installation. */
            installationId: string;
            /** @description Id of the integration. */
            integrationId: string;
            /** @description Further information about the operation. */
            metadata?: {
                /** @description Names of the objects. */
                objects?: string[];
                /** @description Progress of a read. */
                progress?: {
                    /** @description Id of the installation. */
                    installationId: string;
                    /** @description Name of the object. */
                    objectName: string;
                    /** @description Id of the operation. */
                    operationId: string;
                    /** @description Expected number of records, if the provider reports it. */
                    recordsEstimatedTotal?: number;
                    /** @description Records read so far. */
                    recordsProcessed: number;
                };
                /** @description Retries: how often, and when. */
                retry?: {
                    [key: string]: unknown;
                };
                /** @description Ids of records that were written. */
                successfulRecordIds?: string[];
            } & {
                [key: string]: unknown;
            };
            /** @description Id of the project. */
            projectId: string;
            /**
             * @description What started a read. Absent for other operations, and for those of earlier releases.
             * @enum {string}
             */
            readType?: "backfill" | "scheduled" | "triggered";
            /** @description Name of the object. */
            resource?: string;
            /** @description The result in one sentence: `[object] text`. Absent while it runs. */
            result?: string;
            /**
             * @description Status of the operation.
             * @enum {string}
             */
            status: "in_progress" | "success" | "failure";
            /**
             * Format: date-time
             * @description When it was last changed. Absent until then.
             */
            updateTime?: string;
        };
        /** @description A page of operations. */
        OperationPage: {
            /** @description How to continue. */
            pagination: {
                /** @description Whether this page is the last. A page that is not may be empty. */
                done: boolean;
                /** @description Pass as `pageToken` for the next page. Absent on the last. */
                nextPageToken?: string;
            };
            /** @description Newest first. */
            results: components["schemas"]["Operation"][];
        };
        /** @description An organization: people who share projects. */
        Org: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description The team of all members of the organization. */
            defaultTeamId: string;
            /** @description Id of the organization. */
            id: string;
            /** @description Its name, as people see it. */
            label: string;
            /** @description Whether members need a second factor. Single sign-on is exempt. An extension. */
            requireSecondFactor?: boolean;
            /**
             * Format: date-time
             * @description When it was last changed. Absent until then.
             */
            updateTime?: string;
        };
        /** @description The state of a project at a glance. */
        Overview: {
            /** @description Messages that wait, in all and by destination. */
            backlog: {
                /** @description The oldest 200 destinations, then names that have no destination. */
                destinations: {
                    /** @description Id of the destination. Absent while none has this name. */
                    destinationId?: string;
                    /** @description Name of the destination. */
                    destinationName: string;
                    /** @description Why it is disabled. */
                    disabledReason?: string;
                    /**
                     * Format: date-time
                     * @description When the oldest of them was posted. Absent if none waits.
                     */
                    oldestTime?: string;
                    /**
                     * @description `missing`: messages wait for a destination of this name.
                     * @enum {string}
                     */
                    state: "active" | "failing" | "disabled" | "missing";
                    /** @description Messages that wait for their delivery. */
                    waiting: {
                        /** @description Whether there are more. Then `count` is the maximum that is counted. */
                        capped: boolean;
                        /** @description How many there are. */
                        count: number;
                    };
                }[];
                /**
                 * Format: date-time
                 * @description When the oldest of them was posted. Absent if none waits.
                 */
                oldestTime?: string;
                /** @description Messages that wait for their delivery. */
                waiting: {
                    /** @description Whether there are more. Then `count` is the maximum that is counted. */
                    capped: boolean;
                    /** @description How many there are. */
                    count: number;
                };
            };
            /** @description The connections of the project, by status. */
            connections: {
                /** @description Connections whose credential the provider refuses. */
                bad_credentials: number;
                /** @description Connections that were not used yet. */
                created: number;
                /** @description Connections that work. */
                working: number;
            };
            /** @description Counts of the 24 hours before those. */
            dayBefore: {
                /** @description Attempts to deliver a message. */
                deliveries: number;
                /** @description Attempts that failed. */
                failedDeliveries: number;
                /** @description Those that got an error or no response. */
                failedProviderCalls: number;
                /** @description Reads that failed. */
                failedReads: number;
                /** @description Messages that were posted. */
                messagesPosted: number;
                /** @description Requests that were sent to the provider by reads, writes and the proxy. */
                providerCalls: number;
                /** @description Reads that ended. */
                reads: number;
                /** @description Records that were read. */
                recordsRead: number;
            };
            /** @description Results of the list of failing installations, by reason, the worst reason first. */
            failing: {
                /** @description Whether there are more. Then `count` is the maximum that is counted. */
                capped: boolean;
                /** @description How many there are. */
                count: number;
                /**
                 * @description `bad_credentials`: the provider refuses the credential. `backfill_failed`: a backfill could not end. `reads_paused`: reads are paused after repeated failures. `subscription_failed`: the subscription at the provider could not be set up. `reads_failing`: the last reads failed and are tried again; the installation is still healthy.
                 * @enum {string}
                 */
                reason: "bad_credentials" | "backfill_failed" | "reads_paused" | "subscription_failed" | "reads_failing";
            }[];
            /** @description The installations of the project. */
            installations: {
                /** @description All installations. */
                total: number;
                /** @description Installations that do not work. */
                unhealthy: {
                    /** @description Whether there are more. Then `count` is the maximum that is counted. */
                    capped: boolean;
                    /** @description How many there are. */
                    count: number;
                };
            };
            /** @description Counts of the current hour and the 23 hours before it. */
            lastDay: {
                /** @description Attempts to deliver a message. */
                deliveries: number;
                /** @description Attempts that failed. */
                failedDeliveries: number;
                /** @description Those that got an error or no response. */
                failedProviderCalls: number;
                /** @description Reads that failed. */
                failedReads: number;
                /** @description Messages that were posted. */
                messagesPosted: number;
                /** @description Requests that were sent to the provider by reads, writes and the proxy. */
                providerCalls: number;
                /** @description Reads that ended. */
                reads: number;
                /** @description Records that were read. */
                recordsRead: number;
            };
            /** @description Reads that have not ended. */
            running: {
                /** @description Backfills that run or wait. */
                backfills: {
                    /** @description Whether there are more. Then `count` is the maximum that is counted. */
                    capped: boolean;
                    /** @description How many there are. */
                    count: number;
                };
                /** @description Scheduled reads that need several requests, or are tried again. */
                scheduledReads: {
                    /** @description Whether there are more. Then `count` is the maximum that is counted. */
                    capped: boolean;
                    /** @description How many there are. */
                    count: number;
                };
                /** @description Triggered reads that run or wait. */
                triggeredReads: {
                    /** @description Whether there are more. Then `count` is the maximum that is counted. */
                    capped: boolean;
                    /** @description How many there are. */
                    count: number;
                };
            };
            /**
             * Format: date-time
             * @description When the numbers of installations and connections were counted: at most 10 seconds ago.
             */
            time: string;
        };
        /** @description The parts of a config’s content that are changed. */
        PartialConfigContent: {
            /** @description Provider of the integration. */
            provider?: string;
            /** @description Requests through the proxy. */
            proxy?: {
                /** @description Whether it is allowed. */
                enabled?: boolean;
            };
            /** @description Objects that are read. */
            read?: {
                /** @description By object name, as the manifest has it. */
                objects?: {
                    [key: string]: components["schemas"]["ReadConfigObject"];
                };
            };
            /** @description Objects to subscribe to. */
            subscribe?: {
                /** @description By object name, as the manifest has it. */
                objects?: {
                    [key: string]: components["schemas"]["SubscribeConfigObject"];
                };
            };
            /** @description Objects that are written. */
            write?: {
                /** @description By object name, as the manifest has it. */
                objects?: {
                    [key: string]: components["schemas"]["WriteConfigObject"];
                };
            };
        };
        /** @description A link with which a builder resets a forgotten password. */
        PasswordReset: {
            /** @description Id of the builder whose password can be reset. */
            builderId: string;
            /** @description Mail address of the builder. */
            email: string;
            /**
             * Format: date-time
             * @description When `link` expires: one hour after its creation.
             */
            expireTime?: string;
            /** @description Where the builder sets a new password, for you to hand over. Shown only here, and only if the service sends no mail. */
            link?: string;
            /** @description Whether the link goes to the builder by mail. */
            mailed: boolean;
        };
        /** @description Changes of an API key: what `updateMask` names. */
        PatchApiKeyRequest: {
            /** @description The values. */
            apiKey: {
                /** @description Whether the key works. */
                active?: boolean;
                /** @description What people call the key: 1 to 255 characters. */
                label?: string;
                /** @description `full`: everything in the project. `frontend`: what a front end needs, without secrets. */
                scopes?: string[];
            };
            /** @description What to change: `active`, `label`, `scopes`. Values that it does not list are ignored. */
            updateMask: string[];
        };
        /** @description Which objects are paused or resumed; all without a body. */
        PauseReadsRequest: {
            /** @description Message for people. */
            note?: string;
            /** @description Names of objects, mapped or raw; all when absent. */
            objects?: string[];
        };
        /** @description The first records of an object, as messages would contain them. */
        Preview: {
            /** @description Whether the account has no other records of this object. */
            isComplete: boolean;
            /** @description The provider’s name of the object. */
            objectName: string;
            /** @description Five records at most, in the order of the provider. */
            records: components["schemas"]["PreviewRecord"][];
        };
        /** @description A record as messages would contain it. */
        PreviewRecord: {
            /** @description Linked records, by the field that reads them: lists of `{id}`. */
            associations?: {
                [key: string]: unknown;
            };
            /** @description Requested fields that are not mapped, by the provider’s names in lowercase. */
            fields: {
                [key: string]: unknown;
            };
            /** @description Mapped fields, by the names that they are mapped to. */
            mappedFields?: {
                [key: string]: unknown;
            };
            /** @description The record as the provider sent it. */
            raw: {
                [key: string]: unknown;
            };
        };
        /** @description What to read, with a config that is not stored. */
        PreviewRequest: {
            /** @description The account to read. */
            connectionId: string;
            content: components["schemas"]["ConfigContent"];
            /** @description The provider’s name of the object. */
            objectName: string;
        };
        /** @description Every response other than 2xx and 3xx: Problem Details (RFC 9457). */
        Problem: {
            /** @description Root causes, in sentences, in no order. */
            causes?: string[];
            /** @description `code` is the stable code of the kind of problem; more depends on the kind. */
            context?: {
                [key: string]: unknown;
            };
            /** @description What happened in this occurrence. */
            detail: string;
            /** @description The page that explains this kind of problem. */
            href?: string;
            /** @description Identifies this occurrence. */
            instance?: string;
            /** @description Every invalid input of the request. */
            issues?: components["schemas"]["InputValidationIssue"][];
            /** @description How to resolve it. */
            remedy?: string;
            /** @description Look the request up in the log under this id. */
            requestId?: string;
            /** @description Whether the same request may succeed later. */
            retryable?: boolean;
            /**
             * Format: date-time
             * @description Not before this is it worth trying again.
             */
            retryAfter?: string;
            /** @description HTTP status. */
            status: number;
            /** @description The part of the service that answered. */
            subsystem?: string;
            /** @description Whom to write to, where the operator set it. */
            supportEmail?: string;
            /** @description Whom to call, where the operator set it. */
            supportPhone?: string;
            /** @description Where help is, where the operator set it. */
            supportUrl?: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            time?: string;
            /** @description Short English summary. */
            title: string;
            /** @description Problem type (RFC 9457, 3.1.1): always about:blank; the machine code is `context.code`. */
            type: string;
        };
        /** @description One of your products. Integrations, connections, installations, destinations and keys belong to exactly one project. */
        Project: {
            /** @description Name that end users see while they connect an account. */
            appName: string;
            /** @description How connect pages and components look, in which language, and where they may be shown. */
            connect?: {
                /** @description Origins of the pages that may show a connect page in a frame, and that a browser may return to: `https://app.example.com`; `http` for localhost alone. */
                frameOrigins?: string[];
                /** @description Language of connect pages, as `de` or `pt-BR`. By default that of the browser. */
                language?: string;
                /** @description Your own texts, by language. */
                messages?: {
                    [key: string]: {
                        [key: string]: string;
                    };
                };
                /** @description Colors, corners and fonts. What is absent has its default. */
                theme?: {
                    /** @description Buttons and links. A CSS color: `#1c6b50`, `rgb(…)`. */
                    accent?: string;
                    /** @description Text on buttons. A CSS color: `#1c6b50`, `rgb(…)`. */
                    accentText?: string;
                    /** @description Behind everything. A CSS color: `#1c6b50`, `rgb(…)`. */
                    background?: string;
                    /** @description Lines and outlines. A CSS color: `#1c6b50`, `rgb(…)`. */
                    border?: string;
                    /** @description Errors. A CSS color: `#1c6b50`, `rgb(…)`. */
                    danger?: string;
                    /** @description Other colors for dark pages. */
                    dark?: {
                        /** @description Buttons and links. A CSS color: `#1c6b50`, `rgb(…)`. */
                        accent?: string;
                        /** @description Text on buttons. A CSS color: `#1c6b50`, `rgb(…)`. */
                        accentText?: string;
                        /** @description Behind everything. A CSS color: `#1c6b50`, `rgb(…)`. */
                        background?: string;
                        /** @description Lines and outlines. A CSS color: `#1c6b50`, `rgb(…)`. */
                        border?: string;
                        /** @description Errors. A CSS color: `#1c6b50`, `rgb(…)`. */
                        danger?: string;
                        /** @description Hints and secondary text. A CSS color: `#1c6b50`, `rgb(…)`. */
                        mutedText?: string;
                        /** @description Cards and fields. A CSS color: `#1c6b50`, `rgb(…)`. */
                        surface?: string;
                        /** @description Text. A CSS color: `#1c6b50`, `rgb(…)`. */
                        text?: string;
                    };
                    /** @description Names of fonts, as in the CSS property `font-family`. */
                    font?: string;
                    /** @description Hints and secondary text. A CSS color: `#1c6b50`, `rgb(…)`. */
                    mutedText?: string;
                    /** @description Radius of corners: `0`, or a number with `px`, `rem` or `em`. */
                    radius?: string;
                    /** @description Cards and fields. A CSS color: `#1c6b50`, `rgb(…)`. */
                    surface?: string;
                    /** @description Text. A CSS color: `#1c6b50`, `rgb(…)`. */
                    text?: string;
                };
            };
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description What the project may do; managed by the service. */
            entitlements?: {
                /** @description Pages that end users see may leave out the name of the service. */
                brandingRemoval?: {
                    /** @description Whether it may be left out. */
                    value: boolean;
                };
            };
            /** @description Id of the project. */
            id: string;
            /** @description Address of your logo, which end users see. */
            logoUrl?: string;
            /** @description Unique name, in lower case; usable in paths instead of the id. */
            name: string;
            /** @description The organization that owns the project. */
            orgId: string;
            /**
             * Format: date-time
             * @description When it was last changed. Absent until then.
             */
            updateTime?: string;
        };
        /** @description An OAuth app that you registered at a provider. Customers connect through it. */
        ProviderApp: {
            /** @description Extension: hosts that receive the client secret, of customers who run the provider themselves: `git.acme.com`, or `*.acme.com` for every name below. Needed only where the file of the provider does not name the host. */
            allowedHosts?: string[];
            /** @description Client id of the app at the provider. */
            clientId: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description What the provider calls the app. */
            externalRef?: string;
            /** @description Id of the provider app. */
            id: string;
            metadata?: components["schemas"]["ProviderAppMetadata"];
            /** @description Extension: in lists, OAuth scopes that the integrations of the project need and the app does not list. Absent if none is missing or nothing is known. */
            missingScopes?: components["schemas"]["MissingScope"][];
            /** @description Id of the project. */
            projectId: string;
            /** @description Name of the provider. */
            provider: string;
            /** @description Scopes to request from customers. */
            scopes?: string[];
            /**
             * Format: date-time
             * @description When it was last changed. Absent until then.
             */
            updateTime?: string;
            /** @description Extension: URLs that you enter in the app at the provider, for webhooks that no API registers: of each integration that subscribes, 100 at most. Absent where the provider has no such webhooks. */
            webhookUrls?: {
                /** @description Id of the integration. */
                integrationId: string;
                /** @description Its name. */
                integrationName: string;
                /** @description In lists: the secret that the URL received during the last day, for a provider that creates the secret itself. Anyone may have sent it. If the provider accepts it when you enter it there, it is the right one: store it in the app. Front ends do not see it. */
                offeredSecret?: string;
                /** @description The URL, whole. */
                url: string;
            }[];
        };
        /** @description The new values. */
        ProviderAppChange: {
            /** @description Extension: hosts that receive the client secret, of customers who run the provider themselves: `git.acme.com`, or `*.acme.com` for every name below. Needed only where the file of the provider does not name the host. */
            allowedHosts?: string[];
            /** @description Client id of the app at the provider. */
            clientId?: string;
            /** @description Client secret; never shown again. */
            clientSecret?: string;
            /** @description What the provider calls the app. */
            externalRef?: string;
            metadata?: components["schemas"]["ProviderAppMetadata"];
            /** @description Name of the provider. */
            provider?: string;
            /** @description Scopes to request from customers. Lists inside the list are flattened. */
            scopes?: (string | string[])[];
        };
        /** @description What else the provider needs to know of the app. */
        ProviderAppMetadata: {
            /** @description Further parameters of the authorization URL, each with its values. */
            authQueryParams?: {
                [key: string]: string[];
            };
            /** @description Values that this provider needs, by name. Secrets, such as its signing secret for events, are encrypted and never shown again. A secret that you do not send is kept; an empty text removes it. */
            providerParams?: {
                [key: string]: string;
            };
        };
        /** @description What a provider sent, without its content. */
        ProviderEvent: {
            /** @description Size of the bodies. */
            bytes: number;
            /** @description The provider’s name of the first event. */
            eventName?: string;
            /** @description Events in the requests. */
            events: number;
            /** @description Your id of the group. Absent without an installation, and once it is deleted. */
            groupRef?: string;
            /** @description Id of the entry. Ids of later entries sort later. */
            id: string;
            /** @description Id of the installation. Absent if the URL receives the events of all accounts of an app. */
            installationId?: string;
            /** @description Id of the integration. Absent if the URL is unknown. */
            integrationId?: string;
            /** @description Those that were not known yet. */
            newEvents: number;
            /** @description The object of the first event. */
            objectName?: string;
            /**
             * @description `accepted`: the events were stored. `handshake`: the provider checked the URL. `duplicate`: all events were known. `unverified`: the signature is not valid. `unknown`: no installation subscribes to events at this URL. `malformed`: the body cannot be parsed. `busy`: too many events. `failed`: an error of the service. `dropped`: stored events that no installation wants.
             * @enum {string}
             */
            outcome: "accepted" | "handshake" | "duplicate" | "unverified" | "unknown" | "malformed" | "busy" | "failed" | "dropped";
            /** @description Name of the provider. Absent if the URL is unknown. */
            provider?: string;
            /** @description Why, in a sentence. */
            reason?: string;
            /** @description How many requests the entry stands for; 0 for dropped events, whose request has another entry. */
            requests: number;
            /**
             * Format: date-time
             * @description When the request arrived, or when the events were dropped.
             */
            time: string;
        };
        /** @description A page of what providers sent. */
        ProviderEventPage: {
            /** @description How to continue. */
            pagination: {
                /** @description Whether this page is the last. A page that is not may be empty. */
                done: boolean;
                /** @description Pass as `pageToken` for the next page. Absent on the last. */
                nextPageToken?: string;
            };
            /** @description Newest first. */
            results: components["schemas"]["ProviderEvent"][];
        };
        /** @description Errors of provider files. */
        ProviderFileFaults: {
            /** @description All errors of all files; empty when every file is in use. */
            results: {
                /** @description Counted from 1. */
                column: number;
                /** @description Name of the file, without its folder. */
                file: string;
                /**
                 * @description What the service uses meanwhile: the last good version of the file, the built-in file of its name, or nothing.
                 * @enum {string}
                 */
                inUse: "user" | "builtIn" | "none";
                /** @description Counted from 1. */
                line: number;
                /** @description What is wrong, and what to write instead. */
                message: string;
                /** @description Path in the file, such as `objects.contacts.read.path`; empty for the whole file. */
                path: string;
                /** @description Name of the provider that the file would describe. */
                provider: string;
            }[];
        };
        /** @description Results of testing a provider file. */
        ProviderFileTest: {
            /** @description Errors in the file itself. If there are any, nothing was requested. */
            faults: {
                /** @description Counted from 1. */
                column: number;
                /** @description Counted from 1. */
                line: number;
                /** @description What is wrong. */
                message: string;
                /** @description Place in the file, such as `objects.contacts.read.path`; empty for the whole file. */
                path: string;
            }[];
            /** @description Results of each object, in the order of the file. */
            objects: {
                /** @description How many fields the object is described with. */
                describedFields: number;
                /** @description What is wrong with it, or may be. */
                findings: {
                    /**
                     * @description How grave it is.
                     * @enum {string}
                     */
                    level: "error" | "warning";
                    /** @description What is wrong, and with which step. */
                    message: string;
                }[];
                /** @description Name of the object. */
                objectName: string;
                /** @description What each kind of read sends; empty where the object is only written. */
                reads: {
                    /** @description Why it is this one. */
                    because: string;
                    /**
                     * @description What starts the read. `triggered` is one without times.
                     * @enum {string}
                     */
                    kind: "backfill" | "scheduled" | "triggered";
                    /**
                     * @description The key of the provider file that declares its request.
                     * @enum {string}
                     */
                    request: "read" | "incremental.read";
                    /**
                     * @description Which of the `requests` it sends, with pages of one record here.
                     * @enum {string}
                     */
                    step: "describe" | "backfill" | "scheduled" | "future" | "write";
                }[];
                /** @description Names of the first record’s fields, as a read delivers them. Values are left out. */
                recordFields: string[];
                /** @description Records of the first page of a backfill, which requests one. */
                records: number;
                /** @description All requests for it, in order. */
                requests: {
                    /** @description Size of the answer. */
                    bytes?: number;
                    /** @description How long it took. */
                    durationMs: number;
                    /** @description HTTP method. */
                    method: string;
                    /** @description Status of the answer. Absent without an answer. */
                    status?: number;
                    /**
                     * @description Its purpose. `future` requests changes after tomorrow, so it must find none.
                     * @enum {string}
                     */
                    step: "describe" | "backfill" | "scheduled" | "future" | "write";
                    /** @description The request, without the credential. */
                    url: string;
                }[];
                /** @description Writes that the application must refuse. Empty unless you send `writes`. */
                writes: {
                    /** @description Id of the record that was to be changed. */
                    id?: string;
                    /** @description The response, without the credential. */
                    message: string;
                    /**
                     * @description How Mortise classifies the answer: a refusal, a success, or another failure.
                     * @enum {string}
                     */
                    outcome: "refused" | "written" | "failed";
                    /**
                     * @description What was tried.
                     * @enum {string}
                     */
                    type: "create" | "update";
                }[];
            }[];
            /** @description Neither the file nor an object of it has an error. */
            ok: boolean;
        };
        /** @description A SaaS provider: how accounts are connected, what it supports, and what this release does there. */
        ProviderInfo: {
            apiKeyOpts?: components["schemas"]["ApiKeyOpts"];
            /** @description How a credential is checked. */
            authHealthCheck?: {
                /** @description HTTP method; GET when absent. */
                method?: string;
                /** @description Good answers; 200 and 204 when absent. */
                successStatusCodes?: number[];
                /** @description What is asked. */
                url: string;
            };
            /**
             * @description How accounts authenticate. If there are several methods, the preferred one.
             * @enum {string}
             */
            authType: "oauth2" | "apiKey" | "basic" | "jwt" | "custom" | "none";
            /** @description Base URL; `{{.name}}` stands for a value of the connection. */
            baseURL: string;
            basicOpts?: components["schemas"]["BasicAuthOpts"];
            /**
             * @description Extension: how sure an entry is that nobody has checked. `agreed`: two independent sources say the same. `single`: one source says it. Absent for entries that follow the provider’s documentation or recorded responses.
             * @enum {string}
             */
            confidence?: "agreed" | "single";
            customOpts?: components["schemas"]["CustomAuthOpts"];
            /** @description The module that is used when none is named; empty where there are no modules. */
            defaultModule: string;
            /** @description Name for people. */
            displayName?: string;
            /** @description Extension: when the entry was last compared with the provider’s public documentation, and what of it. */
            documented?: {
                /** @description Day of the comparison, such as `2026-11-26`. */
                date: string;
                /** @description What was compared, such as `paging` and `limits`. */
                parts: string[];
            };
            implemented: components["schemas"]["ImplementedCapabilities"];
            /** @description Labels. */
            labels?: {
                [key: string]: string;
            };
            /** @description Values in `providerMetadata` of a connection. */
            metadata?: {
                /** @description What each customer gives. */
                input?: components["schemas"]["MetadataItemInput"][];
                /** @description Values that the provider returns after authentication. */
                postAuthentication?: {
                    /** @description Modules that need it; all modules when absent. */
                    moduleDependencies?: {
                        [key: string]: Record<string, never>;
                    };
                    /** @description Name of the value. */
                    name: string;
                }[];
            };
            /** @description Parts of the provider, by id. */
            modules?: {
                [key: string]: components["schemas"]["ModuleInfo"];
            };
            /** @description Name, as manifests and connections use it. */
            name: string;
            oauth2Opts?: components["schemas"]["Oauth2Opts"];
            /** @description Extension: OAuth scopes that objects need, by object. `*` stands for objects that are not named. Absent where nothing is known. */
            objectScopes?: {
                [key: string]: components["schemas"]["ObjectScopes"];
            };
            /** @description Mortise requests more from the provider after authentication. */
            postAuthInfoNeeded?: boolean;
            /** @description Values that a provider app can have in `metadata`. */
            providerAppMetadata?: {
                /** @description For the authorization URL. */
                authQueryParams?: components["schemas"]["MetadataItemInput"][];
                /** @description For this provider only. */
                providerParams?: components["schemas"]["MetadataItemInput"][];
            };
            /** @description Always empty. Older clients require it. */
            providerOpts: {
                [key: string]: string;
            };
            /** @description All ways to authenticate, the preferred one first. */
            schemes: {
                apiKeyOpts?: components["schemas"]["ApiKeyOpts"];
                basicOpts?: components["schemas"]["BasicAuthOpts"];
                customOpts?: components["schemas"]["CustomAuthOpts"];
                /** @description What `schemeName` of a request to connect chooses it by. */
                name: string;
                oauth2Opts?: components["schemas"]["Oauth2Opts"];
                /**
                 * @description What kind it is.
                 * @enum {string}
                 */
                type: "oauth2" | "apiKey" | "basic" | "custom" | "none";
            }[];
            subscribeRequirements?: components["schemas"]["SubscribeRequirements"];
            support: components["schemas"]["ProviderSupport"];
        };
        /** @description What Mortise can do at the provider, or in the module. It follows from the provider file: what the file does not describe is false. */
        ProviderSupport: {
            /** @description Writing several records in one request. */
            batchWrite?: {
                /** @description Batches that create. */
                create: {
                    /** @description Records of one request at most. */
                    defaultRecordLimit?: number;
                    /** @description Whether some objects can. */
                    supported: boolean;
                };
                /** @description Batches that delete. */
                delete: {
                    /** @description Records of one request at most. */
                    defaultRecordLimit?: number;
                    /** @description Whether some objects can. */
                    supported: boolean;
                };
                /** @description Batches that update. */
                update: {
                    /** @description Records of one request at most. */
                    defaultRecordLimit?: number;
                    /** @description Whether some objects can. */
                    supported: boolean;
                };
                /** @description Batches that upsert. */
                upsert: {
                    /** @description Records of one request at most. */
                    defaultRecordLimit?: number;
                    /** @description Whether some objects can. */
                    supported: boolean;
                };
            };
            /** @description Writing through the provider’s bulk interface, which Mortise does not use: always false. */
            bulkWrite: {
                /** @description Delete in bulk. */
                delete: boolean;
                /** @description Insert in bulk. */
                insert: boolean;
                /** @description Update in bulk. */
                update: boolean;
                /** @description Upsert in bulk. */
                upsert: boolean;
            };
            /** @description Records can be deleted. */
            delete: boolean;
            /** @description Can pass your own requests through. */
            proxy: boolean;
            /** @description Records can be read. */
            read: boolean;
            /** @description Searching. */
            search: {
                /** @description Operators of a search. */
                operators: {
                    /** @description Equality. */
                    equals: boolean;
                };
            };
            /** @description Changes can be subscribed to. */
            subscribe: boolean;
            /** @description Which changes can be subscribed to: of some objects at least, as this release subscribes to them. Absent where it does not. */
            subscribeSupport?: {
                /** @description New records. */
                create: boolean;
                /** @description Deleted records. */
                delete: boolean;
                /** @description Other events, by the provider’s names for them (`otherEvents`). */
                passThrough: boolean;
                /** @description Changed records. */
                update: boolean;
            };
            /** @description Records can be written. */
            write: boolean;
        };
        /** @description Whether requests are passed on to the provider. */
        ProxyIntegration: {
            /** @description Whether they are. */
            enabled?: boolean;
            /** @description Whether paths are relative to the module's base URL. */
            useModule?: boolean;
        };
        /** @description What a notification `read.backfill.done` tells. */
        ReadBackfillDoneData: {
            /** @description Id of its connection. */
            connectionId: string;
            /** @description Name of that person. */
            consumerName: string;
            /** @description Your id of the person who connected the account. */
            consumerRef: string;
            /** @description Name of the group. */
            groupName: string;
            /** @description Your id of the group. */
            groupRef: string;
            /** @description Id of the installation. */
            installationId: string;
            /** @description Id of the integration. */
            integrationId: string;
            /** @description Name of the integration. */
            integrationName: string;
            /** @description The provider’s name of the object. */
            objectName: string;
            /** @description Id of the project. */
            projectId: string;
            /** @description Name of the provider. */
            provider: string;
        };
        /** @description Notification: The backfill of an object succeeded. */
        ReadBackfillDoneNotification: {
            data: components["schemas"]["ReadBackfillDoneData"];
            /**
             * @description Always `read.backfill.done`.
             * @constant
             */
            notificationType: "read.backfill.done";
        };
        /** @description What a notification `read.backfill.error` tells. */
        ReadBackfillErrorData: {
            /** @description Id of its connection. */
            connectionId: string;
            /** @description Name of that person. */
            consumerName: string;
            /** @description Your id of the person who connected the account. */
            consumerRef: string;
            /** @description Why, in a sentence. */
            error?: string;
            /** @description Name of the group. */
            groupName: string;
            /** @description Your id of the group. */
            groupRef: string;
            /** @description Id of the installation. */
            installationId: string;
            /** @description Id of the integration. */
            integrationId: string;
            /** @description Name of the integration. */
            integrationName: string;
            /** @description The provider’s name of the object. */
            objectName: string;
            /** @description Id of the project. */
            projectId: string;
            /** @description Name of the provider. */
            provider: string;
        };
        /** @description Notification: The backfill of an object failed, so existing records are missing. You can run it again; it continues where it stopped. */
        ReadBackfillErrorNotification: {
            data: components["schemas"]["ReadBackfillErrorData"];
            /**
             * @description Always `read.backfill.error`.
             * @constant
             */
            notificationType: "read.backfill.error";
        };
        /** @description What a group chose for reading one object. What is absent is as the manifest says. */
        ReadConfigObject: {
            /** @description The backfill, instead of the manifest’s. */
            backfill?: {
                /** @description One of the two. */
                defaultPeriod: {
                    /** @description Past days to read; 0 for none. */
                    days?: number;
                    /** @description Read everything there is. */
                    fullHistory?: boolean;
                };
                /** @description Filters of the backfill. They replace those of the object. */
                fieldFilters?: {
                    /** @description Provider field. */
                    fieldName: string;
                    /**
                     * @description Only equality.
                     * @enum {string}
                     */
                    operator: "eq";
                    /** @description What the field must be equal to. */
                    value?: string | number | boolean;
                }[];
            };
            /** @description Deletions, instead of the manifest’s. */
            deletions?: {
                /**
                 * @description Whether deleted records that the provider reports are delivered.
                 * @enum {string}
                 */
                enabled?: "always" | "never";
                /** @description When deleted records that the provider does not report are looked for: cron in UTC, at most hourly. Never when absent. */
                schedule?: string;
            };
            /** @description Name of a destination, instead of the manifest’s. */
            destination?: string;
            /** @description True: not read, neither on schedule nor when triggered. */
            disabled?: boolean;
            /** @description Mappings that were offered to the user. Writes with `inheritMapping` leave out these names until they are mapped. */
            dynamicMappingsInput?: {
                [key: string]: unknown;
            }[];
            /** @description Which records are read: those that fit all filters, at providers that can filter. */
            fieldFilters?: {
                /** @description Provider field. */
                fieldName: string;
                /**
                 * @description Only equality.
                 * @enum {string}
                 */
                operator: "eq";
                /** @description What the field must be equal to. */
                value?: string | number | boolean;
            }[];
            /** @description Name of the object; the same as its key. */
            objectName?: string;
            /** @description Cron in UTC, instead of the manifest’s. */
            schedule?: string;
            /** @description Provider field by the name that it has in messages. */
            selectedFieldMappings?: {
                [key: string]: string;
            };
            /** @description Optional fields, by the provider’s name. */
            selectedFields?: {
                [key: string]: boolean;
            };
            /**
             * @description `all`: every field.
             * @enum {string}
             */
            selectedFieldsAuto?: "all";
            /** @description By provider field: delivered value to the provider’s value. */
            selectedValueMappings?: {
                [key: string]: {
                    [key: string]: string | number | boolean;
                };
            };
        };
        /** @description What is read. */
        ReadIntegration: {
            /** @description Settings of each object. */
            objects: components["schemas"]["ReadObject"][];
        };
        /** @description An object that is read. */
        ReadObject: {
            backfill?: components["schemas"]["Backfill"];
            deletions?: components["schemas"]["Deletions"];
            delivery?: components["schemas"]["Delivery"];
            /** @description Name of the destination that records are delivered to. */
            destination: string;
            /**
             * @description Read for every installation, and installed without asking.
             * @enum {string}
             */
            enabled?: "always";
            /** @description Name of the object that users see. */
            mapToDisplayName?: string;
            /** @description Name of the object in messages. */
            mapToName?: string;
            /** @description The provider's name of the object. */
            objectName: string;
            /** @description Fields that users may choose. */
            optionalFields?: components["schemas"]["IntegrationField"][];
            /**
             * @description Every field of the object may be chosen.
             * @enum {string}
             */
            optionalFieldsAuto?: "all";
            /** @description Fields that every installation reads. */
            requiredFields?: components["schemas"]["IntegrationField"][];
            /** @description Cron expression of five fields, in UTC. Absent: read only when triggered. */
            schedule?: string;
        };
        /** @description An object that an installation reads on a schedule, with its last and next reads. */
        ReadSchedule: {
            /** @description How deleted records that the provider does not report are looked for, if they are. */
            deletions?: {
                /** @description Why the last check failed. Absent if it succeeded. */
                error?: string;
                /**
                 * @description How it ended.
                 * @enum {string}
                 */
                lastCheckStatus?: "success" | "failure";
                /**
                 * Format: date-time
                 * @description When the last check that ended began.
                 */
                lastCheckTime?: string;
                /**
                 * Format: date-time
                 * @description When the next check starts, or the one that is running continues. A time in the past means now.
                 */
                nextCheckTime?: string;
                /** @description Operation of the check that is running. */
                operationId?: string;
                /** @description When they are looked for: cron in UTC, of the config or the manifest. */
                schedule: string;
            };
            /**
             * @description How that read ended, or that it has not.
             * @enum {string}
             */
            lastRunStatus?: "in_progress" | "success" | "failure";
            /**
             * Format: date-time
             * @description When its newest scheduled read started. Absent before the first one.
             */
            lastRunTime?: string;
            /**
             * Format: date-time
             * @description When it is read next. A time in the past means now. Absent while the object is paused.
             */
            nextRunTime?: string;
            /** @description The provider’s name of the object. */
            objectName: string;
            /** @description How long after each time of the schedule this installation is read. It is the same for all reads. */
            offsetSeconds: number;
            /**
             * @description Why the object is paused: a `:pause`, its config, ten failures in a row, a credential that the provider refuses, or a destructive deploy.
             * @enum {string}
             */
            pauseReason?: "request" | "config" | "failures" | "credentials" | "removed";
            /** @description When it is read: cron in UTC, of the config or the manifest. Absent if it is read when triggered. */
            schedule?: string;
            /**
             * @description Kind of the read of this object that is running or waits. The next scheduled read starts after it.
             * @enum {string}
             */
            waitsFor?: "backfill" | "triggered" | "scheduled";
        };
        /** @description What a notification `read.schedule.paused` tells. */
        ReadSchedulePausedData: {
            /** @description The content of the installation’s config. */
            config?: {
                [key: string]: unknown;
            };
            /**
             * Format: uri
             * @description Replaces `config` when the notification would be larger than 300 KB: a URL to GET it, without an API key, valid for 15 minutes.
             */
            configURL?: string;
            /** @description Id of its connection. */
            connectionId: string;
            /** @description Name of that person. */
            consumerName: string;
            /** @description Your id of the person who connected the account. */
            consumerRef: string;
            /** @description Why, in a sentence. */
            error?: string;
            /** @description Name of the group. */
            groupName: string;
            /** @description Your id of the group. */
            groupRef: string;
            /** @description Id of the installation. */
            installationId: string;
            /** @description Id of the integration. */
            integrationId: string;
            /** @description Name of the integration. */
            integrationName: string;
            /** @description Id of the project. */
            projectId: string;
            /** @description Name of the provider. */
            provider: string;
        } & (unknown | unknown);
        /** @description Notification: Scheduled reads of an installation were paused. `error` has the reason if Mortise paused them, after repeated errors or a refused credential. There is no `error` if a request or a destructive deploy paused them. */
        ReadSchedulePausedNotification: {
            data: components["schemas"]["ReadSchedulePausedData"];
            /**
             * @description Always `read.schedule.paused`.
             * @constant
             */
            notificationType: "read.schedule.paused";
        };
        /** @description What a notification `read.triggered.done` tells. */
        ReadTriggeredDoneData: {
            /** @description Id of its connection. */
            connectionId: string;
            /** @description Name of that person. */
            consumerName: string;
            /** @description Your id of the person who connected the account. */
            consumerRef: string;
            /**
             * Format: date-time
             * @description The read requested records changed at or after this time. Absent: all.
             */
            fromTimestamp?: string;
            /** @description Name of the group. */
            groupName: string;
            /** @description Your id of the group. */
            groupRef: string;
            /** @description Id of the installation. */
            installationId: string;
            /** @description Id of the integration. */
            integrationId: string;
            /** @description Name of the integration. */
            integrationName: string;
            /** @description The provider’s name of the object. */
            objectName: string;
            /** @description Id of the project. */
            projectId: string;
            /** @description Name of the provider. */
            provider: string;
            /**
             * Format: date-time
             * @description The read requested records changed up to this time.
             */
            untilTimestamp?: string;
        };
        /** @description Notification: A triggered read succeeded. */
        ReadTriggeredDoneNotification: {
            data: components["schemas"]["ReadTriggeredDoneData"];
            /**
             * @description Always `read.triggered.done`.
             * @constant
             */
            notificationType: "read.triggered.done";
        };
        /** @description What a notification `read.triggered.error` tells. */
        ReadTriggeredErrorData: {
            /** @description Id of its connection. */
            connectionId: string;
            /** @description Name of that person. */
            consumerName: string;
            /** @description Your id of the person who connected the account. */
            consumerRef: string;
            /** @description Why, in a sentence. */
            error?: string;
            /**
             * Format: date-time
             * @description The read requested records changed at or after this time. Absent: all.
             */
            fromTimestamp?: string;
            /** @description Name of the group. */
            groupName: string;
            /** @description Your id of the group. */
            groupRef: string;
            /** @description Id of the installation. */
            installationId: string;
            /** @description Id of the integration. */
            integrationId: string;
            /** @description Name of the integration. */
            integrationName: string;
            /** @description The provider’s name of the object. */
            objectName: string;
            /** @description Id of the project. */
            projectId: string;
            /** @description Name of the provider. */
            provider: string;
            /**
             * Format: date-time
             * @description The read requested records changed up to this time.
             */
            untilTimestamp?: string;
        };
        /** @description Notification: A triggered read failed permanently. */
        ReadTriggeredErrorNotification: {
            data: components["schemas"]["ReadTriggeredErrorData"];
            /**
             * @description Always `read.triggered.error`.
             * @constant
             */
            notificationType: "read.triggered.error";
        };
        /** @description New recovery codes. */
        RecoveryCodes: {
            /** @description Ten recovery codes, each for one use. Shown only here: store them where you find them without your device. */
            recoveryCodes: string[];
        };
        /** @description One record, or one event about one. A field is either in `fields` or in `mappedFields`. */
        ResultEntry: {
            /** @description Associated records by the name of the association. */
            associations?: {
                [key: string]: components["schemas"]["Association"][];
            };
            /**
             * @description Of a read with `deletions`: the provider reports that the record is deleted.
             * @constant
             */
            deleted?: true;
            /** @description Requested fields that are not mapped, by the provider’s names in lowercase. */
            fields?: {
                [key: string]: unknown;
            };
            /** @description Of an update: the fields that changed. */
            fieldsUpdated?: string[];
            fromRecord?: components["schemas"]["AssociatedRecord"];
            /** @description Of an event, and of a deleted record: id of the record at the provider. */
            id?: string;
            /** @description Mapped fields, by the names that they are mapped to. */
            mappedFields?: {
                [key: string]: unknown;
            };
            /** @description Of an event: the provider’s name for it. */
            providerEventType?: string;
            /** @description The record as the provider gave it. */
            raw?: {
                [key: string]: unknown;
            };
            /** @description Of an event: the event as the provider sent it. */
            rawEvent?: {
                [key: string]: unknown;
            };
            /**
             * @description Of an event: what happened to the record.
             * @enum {string}
             */
            subscribeEventType?: "create" | "update" | "associationUpdate" | "delete" | "other";
            toRecord?: components["schemas"]["AssociatedRecord"];
        };
        /** @description One version of an integration’s definition. */
        Revision: {
            content: components["schemas"]["IntegrationContent"];
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description Id of the revision. */
            id: string;
            /** @description Version of the manifest format. */
            specVersion: string;
        };
        /** @description How the fields of one object of an account changed between two looks. */
        SchemaChange: {
            /** @description Fields whose type, label or description changed. */
            changedFields?: {
                newSchema: components["schemas"]["WatchedField"];
                oldSchema: components["schemas"]["WatchedField"];
            }[];
            /** @description Fields that are new. */
            createdFields?: components["schemas"]["WatchedField"][];
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description Fields that were deleted. */
            deletedFields?: components["schemas"]["WatchedField"][];
            /** @description Id of the change. */
            id: string;
            /** @description Id of the installation. */
            installationId: string;
            /** @description The provider’s name of the object. */
            objectName: string;
        };
        /** @description An object whose fields are watched for an installation, and how that goes. */
        SchemaWatch: {
            /**
             * Format: date-time
             * @description When they were seen last; absent before the first time.
             */
            checkTime?: string;
            /** @description Error of the last check. Absent if it succeeded. */
            error?: string;
            /** @description How many fields there were. */
            fieldCount?: number;
            /**
             * Format: date-time
             * @description When they are checked next.
             */
            nextCheckTime: string;
            /** @description The provider’s name of the object. */
            objectName: string;
            /** @description When its fields are checked: cron in UTC. */
            schedule: string;
        };
        /** @description How the fields of one object of one account changed. */
        SchemaWatchMessage: {
            /**
             * @description Always `schema.watch`.
             * @enum {string}
             */
            action: "schema.watch";
            /** @description Name of that person. */
            consumerName: string;
            /** @description Your id of the person who connected the account. */
            consumerRef: string;
            /** @description Name of the group. */
            groupName: string;
            /** @description Your id of the group whose account this is. */
            groupRef: string;
            /** @description Id of the installation. */
            installationId: string;
            /**
             * Format: date-time
             * @description When the config of the installation was changed last.
             */
            installationUpdateTime: string;
            /** @description Name of the object: the mapped one where the object has one, else the provider’s. */
            objectName: string;
            /** @description Id of the project. */
            projectId: string;
            /** @description Name of the provider. */
            provider: string;
            /** @description The provider’s name of the object. */
            rawObjectName?: string;
            /** @description Changes by kind. Has only the kinds that the manifest watches. */
            result: {
                /** @description Fields whose type, label or description changed. */
                changedFields?: {
                    newSchema: components["schemas"]["WatchedField"];
                    oldSchema: components["schemas"]["WatchedField"];
                }[];
                /** @description Fields that are new. */
                createdFields?: components["schemas"]["WatchedField"][];
                /** @description Fields that were deleted. */
                deletedFields?: components["schemas"]["WatchedField"][];
            };
            /** @description How the result is handed over. */
            resultInfo: {
                /**
                 * Format: uri
                 * @description With `url`: where to GET the JSON array of the records, without an API key, within 15 minutes.
                 */
                downloadUrl?: string;
                /** @description How many there are. */
                numRecords: number;
                /**
                 * @description `inline`: `result` has the records. `url`: download them from `downloadUrl`.
                 * @enum {string}
                 */
                type: "inline" | "url";
            };
            /** @description The workspace of the account, where the provider has workspaces. */
            workspace?: string;
        };
        /** @description Which records are searched for. */
        SearchRequest: {
            /** @description Conditions; a record fits all of them. */
            fieldFilters: {
                /** @description The field, by the provider’s name or the mapped one. */
                fieldName: string;
                /**
                 * @description Only equality.
                 * @enum {string}
                 */
                operator: "eq";
                /** @description The value of the field. For a mapped value, the delivered value. */
                value: string | number | boolean;
            }[];
            /** @description The object, by the provider’s name or the mapped one. */
            objectName: string;
        };
        /** @description Records that were found. */
        SearchResponse: {
            /** @description The same. */
            result: components["schemas"]["FoundRecord"][];
            /** @description The first page of the records that fit. */
            results: components["schemas"]["FoundRecord"][];
        };
        /** @description A resource that a search found, with what it belongs to. */
        SearchResult: {
            /** @description Id of the destination of a message. */
            destinationId?: string;
            /** @description Your id of the group that it belongs to. */
            groupRef?: string;
            /** @description Its id; the ref of a group or a consumer. */
            id: string;
            /** @description Id of the installation that it belongs to. */
            installationId?: string;
            /** @description Id of the integration that it belongs to. */
            integrationId?: string;
            /**
             * @description What it is.
             * @enum {string}
             */
            kind: "group" | "consumer" | "integration" | "destination" | "topic" | "providerApp" | "apiKey" | "installation" | "connection" | "operation" | "message" | "revision";
            /** @description A name for people: that of the resource, or of what it belongs to. */
            name: string;
            /** @description Name of the provider. */
            provider?: string;
        };
        /** @description What a search found. */
        SearchResults: {
            /** @description At most 20, the best first: an exact id or name, the beginning of a name, a part of it. */
            results: components["schemas"]["SearchResult"][];
        };
        /** @description The tokens of a builder who signed in: a short one for requests, and one to renew it with. */
        SessionTokens: {
            /** @description Sent as `Authorization: Bearer`; a JWT. */
            accessToken: string;
            /** @description Who is signed in. */
            builderId: string;
            /**
             * Format: date-time
             * @description When the access token expires.
             */
            expiresAt: string;
            /** @description Exchanged once for the next pair of tokens; using it a second time ends the session. */
            refreshToken: string;
            /**
             * Format: date-time
             * @description When the session ends unless it is refreshed before.
             */
            sessionExpiresAt: string;
        };
        /** @description Where to upload the source of a deploy to. */
        SignedUrl: {
            /** @description First part of the source URL. */
            bucket: string;
            /** @description Second part: deploy `gs://{bucket}/{path}` as `sourceZipUrl`. */
            path: string;
            /** @description PUT the file here within 15 minutes, without a credential. */
            url: string;
        };
        /** @description What a group chose for the events of one object. */
        SubscribeConfigObject: {
            /** @description Records that were made. */
            createEvent?: {
                /**
                 * @description Whether the event is delivered.
                 * @enum {string}
                 */
                enabled: "always" | "never";
            };
            /** @description Records that were deleted. */
            deleteEvent?: {
                /**
                 * @description Whether the event is delivered.
                 * @enum {string}
                 */
                enabled: "always" | "never";
            };
            /** @description Name of a destination, instead of the manifest’s. */
            destination?: string;
            /** @description The same, as the manifest spells it. */
            inheritFieldsAndMapping?: boolean;
            /** @description Fields and mappings of the read object. */
            inheritFieldsAndMappings?: boolean;
            /** @description Name of the object; the same as its key. */
            objectName?: string;
            /** @description Further events, by the provider’s names. */
            otherEvents?: string[];
            /** @description What only one provider knows: Salesforce’s `quotaOptimization`. */
            providerOptions?: {
                /** @description Fewer events of Salesforce: only those of the fields in `requiredWatchFields`. */
                quotaOptimization?: {
                    /** @description Whether it is on. */
                    enabled: boolean;
                };
            };
            /** @description Fewer events of Salesforce: only those of the fields in `requiredWatchFields`. */
            salesforceQuotaOptimization?: {
                /** @description Whether it is on. */
                enabled: boolean;
            };
            /** @description Records that were changed. */
            updateEvent?: {
                /**
                 * @description Whether the event is delivered.
                 * @enum {string}
                 */
                enabled?: "always" | "never";
                /** @description Fields that are watched. */
                requiredWatchFields?: string[];
                /**
                 * @description Which fields are watched.
                 * @enum {string}
                 */
                watchFieldsAuto?: "all" | "selected";
            };
        };
        /** @description What a notification `subscribe.create.error` tells. */
        SubscribeCreateErrorData: {
            /** @description Id of its connection. */
            connectionId: string;
            /** @description Name of that person. */
            consumerName: string;
            /** @description Your id of the person who connected the account. */
            consumerRef: string;
            /** @description Why, in a sentence. */
            error?: string;
            /** @description Name of the group. */
            groupName: string;
            /** @description Your id of the group. */
            groupRef: string;
            /** @description Id of the installation. */
            installationId: string;
            /** @description Id of the integration. */
            integrationId: string;
            /** @description Name of the integration. */
            integrationName: string;
            /** @description Id of the project. */
            projectId: string;
            /** @description Name of the provider. */
            provider: string;
        };
        /** @description Notification: A subscription at the provider could not be set up. Sent once for as long as this lasts. */
        SubscribeCreateErrorNotification: {
            data: components["schemas"]["SubscribeCreateErrorData"];
            /**
             * @description Always `subscribe.create.error`.
             * @constant
             */
            notificationType: "subscribe.create.error";
        };
        /** @description A kind of change. */
        SubscribeEvent: {
            /**
             * @description Subscribed for every installation.
             * @enum {string}
             */
            enabled?: "always";
        };
        /** @description What is subscribed to. */
        SubscribeIntegration: {
            /** @description Settings of each object. */
            objects: components["schemas"]["SubscribeObject"][];
        };
        /** @description An object whose changes the provider tells. */
        SubscribeObject: {
            associationChangeEvent?: components["schemas"]["AssociationChangeEvent"];
            createEvent?: components["schemas"]["SubscribeEvent"];
            deleteEvent?: components["schemas"]["SubscribeEvent"];
            /** @description Name of the destination that changes are delivered to. */
            destination: string;
            /** @description Whether fields and mapping are those of the read object. */
            inheritFieldsAndMapping?: boolean;
            /** @description The provider's name of the object. */
            objectName: string;
            /** @description The provider's own names of further events. */
            otherEvents?: string[];
            updateEvent?: components["schemas"]["UpdateEvent"];
        };
        /** @description Requirements of subscriptions. */
        SubscribeRequirements: {
            /** @description Subscriptions end and are renewed. */
            maintenance?: boolean;
            /** @description Events are completed after they came. */
            postProcess?: boolean;
            /** @description Something is registered at the provider first. */
            registration?: boolean;
            /** @description Subscriptions are made through the provider’s API. */
            subscribeByAPI?: boolean;
        };
        /** @description Something that happened to a group, an installation or a connection. */
        TimelineEntry: {
            /** @description Who did it, if a request caused it. */
            actor?: {
                /** @description Id of the person, the key or the connect session. */
                id?: string;
                /**
                 * @description As in the audit log.
                 * @enum {string}
                 */
                kind: "person" | "apiKey" | "consumerToken" | "connectSession" | "operator" | "system" | "anonymous";
                /** @description Email or label at the time. */
                name?: string;
            };
            /** @description Id of the connection. */
            connectionId?: string;
            /** @description Facts about it, by kind. Never secrets. */
            details?: {
                [key: string]: unknown;
            };
            /** @description Your id of the group. Absent if neither the installation nor the connection exists any more. */
            groupRef?: string;
            /** @description Id of the entry. Ids of later entries sort later. */
            id: string;
            /** @description Id of the installation. */
            installationId?: string;
            /** @description Id of the integration. */
            integrationId?: string;
            /**
             * @description What happened.
             * @enum {string}
             */
            kind: "connection.created" | "connection.updated" | "connection.status" | "connection.deleted" | "installation.created" | "installation.config" | "installation.connection" | "installation.health" | "installation.deleted" | "reads.paused" | "reads.resumed" | "subscription.failed" | "subscription.recovered" | "schema.changed" | "operation.read" | "operation.write" | "operation.subscribe" | "operation.proxy" | "audit";
            /** @description The provider’s name of the object. */
            objectName?: string;
            /** @description Id of the operation, whose log has more. */
            operationId?: string;
            /**
             * @description Of operations, and of changes for the better or the worse.
             * @enum {string}
             */
            status?: "success" | "failure" | "in_progress";
            /**
             * Format: date-time
             * @description When it happened, or when the operation began.
             */
            time: string;
            /** @description What happened, in a sentence. */
            title: string;
        };
        /** @description A page of a time line. */
        TimelinePage: {
            /** @description How to continue. */
            pagination: {
                /** @description Whether this page is the last. A page that is not may be empty. */
                done: boolean;
                /** @description Pass as `pageToken` for the next page. Absent on the last. */
                nextPageToken?: string;
            };
            /** @description Newest first. */
            results: components["schemas"]["TimelineEntry"][];
        };
        /** @description What is known about the OAuth access token, without the token. */
        TokenInfo: {
            /**
             * Format: date-time
             * @description When the access token expires.
             */
            expiresAt?: string;
            /** @description Whether Mortise can get the next access token without the customer. */
            isRenewable: boolean;
            /**
             * Format: date-time
             * @description When the access token was issued.
             */
            issuedAt?: string;
            /** @description Scopes of the provider app, or of integrations if the provider grants scopes on request, that were not granted. Absent if the provider did not say. */
            missingScopes?: string[];
            /** @description Granted scopes. Absent if the provider did not say. */
            scopes?: string[];
        };
        /** @description A name that routes of events lead to and destinations listen to. */
        Topic: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description Id of the topic. */
            id: string;
            /** @description Name, unique in the project. */
            name: string;
            /** @description Id of the project. */
            projectId: string;
            /**
             * Format: date-time
             * @description When it was last changed. Absent until then.
             */
            updateTime?: string;
        };
        /** @description Routes the events of a topic to a destination. */
        TopicDestinationRoute: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            createTime: string;
            /** @description The destination that they are sent to. */
            destinationId: string;
            /** @description Id of the route. */
            id: string;
            /** @description Id of the project. */
            projectId: string;
            /** @description The topic whose events are sent. */
            topicId: string;
        };
        /** @description The name of a topic. */
        TopicInput: {
            /** @description 1 to 64 letters, digits and dashes; unique in the project. */
            name: string;
        };
        /** @description An installation with its counts in a range of time. */
        TopInstallation: {
            counts: components["schemas"]["Counts"];
            /** @description Your id of the group. Absent once the installation is deleted. */
            groupRef?: string;
            /** @description Id of the installation. */
            installationId: string;
            /** @description Id of the integration. */
            integrationId: string;
        };
        /** @description Which records are to be read, now. */
        TriggerReadRequest: {
            /** @description Runs the backfill of the object again: after the last committed page if it failed, otherwise from the beginning. Returns a backfill that is running. Takes no times. */
            backfill?: boolean;
            /** @description Looks for deleted records that the provider does not report, instead of reading. Returns a check that is running. Needs `deletions.schedule`, and takes no times. */
            deletions?: boolean;
            /** @description The group whose installation is read. */
            groupRef: string;
            /**
             * @description Reads run in the background.
             * @enum {string}
             */
            mode: "async";
            /**
             * Format: date-time
             * @description Records changed at or after this; everything when absent.
             */
            sinceTimestamp?: string;
            /**
             * Format: date-time
             * @description Records changed up to this.
             */
            untilTimestamp?: string;
        };
        /** @description Changes of a connection: what `updateMask` names. */
        UpdateConnectionRequest: {
            connection: components["schemas"]["ConnectionChange"];
            /** @description What to change: `providerWorkspaceRef`, `providerMetadata`, `apiKey`, `basicAuth`, `oauth2ClientCredentials`, `oauth2PasswordCredentials`. */
            updateMask: string[];
        };
        /** @description Updates, and the fields that count. */
        UpdateEvent: {
            /**
             * @description Subscribed for every installation.
             * @enum {string}
             */
            enabled?: "always";
            /** @description Fields whose updates count. */
            requiredWatchFields?: string[];
            /**
             * @description Any field, or those that the user chose.
             * @enum {string}
             */
            watchFieldsAuto?: "all" | "selected";
        };
        /** @description Changes of a JWT key: what `updateMask` names. */
        UpdateJWTKeyRequest: {
            /** @description The values. */
            jwtKey: {
                /** @description Whether the key works. */
                active?: boolean;
                /** @description What people call the key: 1 to 255 characters. */
                label?: string;
                /** @description The same as `label`. */
                name?: string;
            };
            /** @description What to change: `active`, `label`. Values that it does not list are ignored. */
            updateMask: string[];
        };
        /** @description Changes of a provider app: what `updateMask` names. */
        UpdateProviderAppRequest: {
            providerApp: components["schemas"]["ProviderAppChange"];
            /** @description What to change: `externalRef`, `clientId`, `clientSecret`, `provider`, `scopes`, `metadata`, `allowedHosts`. */
            updateMask: string[];
        };
        /** @description Fields that objects of an account are to have. */
        UpsertMetadataRequest: {
            /** @description By name of the object: the fields that it is to have. */
            fields: {
                [key: string]: components["schemas"]["FieldDefinition"][];
            };
            /** @description The group whose account is changed. */
            groupRef: string;
        };
        /** @description What became of each field. */
        UpsertMetadataResponse: {
            /** @description By name of the object, and by name of the field. */
            fields: {
                [key: string]: {
                    [key: string]: components["schemas"]["FieldUpsertResult"];
                };
            };
            /** @description Whether every field is as requested. */
            success: boolean;
        };
        /** @description Values that are set where a write has none. */
        ValueDefaults: {
            /** @description Whether users may set a default for any field. */
            allowAnyFields?: boolean;
        };
        /** @description A kind of change of the schema. */
        WatchedChange: {
            /**
             * @description Watched.
             * @enum {string}
             */
            enabled: "always";
        };
        /** @description What is watched of all objects. */
        WatchedChanges: {
            fieldChanged?: components["schemas"]["WatchedChange"];
            fieldCreated?: components["schemas"]["WatchedChange"];
            fieldDeleted?: components["schemas"]["WatchedChange"];
        };
        /** @description A field of an object, as it was seen. */
        WatchedField: {
            /** @description Its name for people. */
            displayName?: string;
            /** @description The provider’s name of the field. */
            fieldName: string;
            /** @description Whether it was added to the account. */
            isCustom?: boolean;
            /** @description The provider’s own name of that kind. */
            providerType?: string;
            /** @description Whether it cannot be written. */
            readOnly?: boolean;
            /** @description The kind of its values, as in FieldMetadata. */
            valueType?: string;
        };
        /** @description Notifies you when the provider’s fields change. */
        WatchSchema: {
            allObjects: components["schemas"]["WatchedChanges"];
            /** @description Name of the destination that is notified. */
            destination: string;
            /** @description Cron expression of five fields, in UTC; `0 *\/24 * * *` where absent. */
            schedule?: string;
        };
        /** @description What a notification `write.async.done` tells. */
        WriteAsyncDoneData: {
            /** @description Id of its connection. */
            connectionId: string;
            /** @description Name of that person. */
            consumerName: string;
            /** @description Your id of the person who connected the account. */
            consumerRef: string;
            /** @description What went wrong, in sentences. */
            errors?: string[];
            /** @description Name of the group. */
            groupName: string;
            /** @description Your id of the group. */
            groupRef: string;
            /** @description Id of the installation. */
            installationId: string;
            /** @description Id of the integration. */
            integrationId: string;
            /** @description Name of the integration. */
            integrationName: string;
            /** @description The provider’s name of the object. */
            objectName: string;
            /** @description Id of the project. */
            projectId: string;
            /** @description Name of the provider. */
            provider: string;
            /** @description Whether every record was written. */
            success: boolean;
            /** @description Ids of the written records. */
            successfulRecordIds?: string[];
        };
        /** @description Notification: An asynchronous write ended. If only some records were written, `success` is false and both lists have items. */
        WriteAsyncDoneNotification: {
            data: components["schemas"]["WriteAsyncDoneData"];
            /**
             * @description Always `write.async.done`.
             * @constant
             */
            notificationType: "write.async.done";
        };
        /** @description What a group chose for writing one object. */
        WriteConfigObject: {
            /** @description Deleting records; off when absent. */
            deletionSettings?: {
                /** @description Whether records may be deleted. */
                enabled: boolean;
            };
            /** @description Name of the object; the same as its key. */
            objectName?: string;
            /** @description What is written of a field, and its default. */
            selectedFieldSettings?: {
                [key: string]: {
                    /** @description What is written when the caller sends nothing; one of the three. */
                    default?: {
                        /** @description True or false. */
                        booleanValue?: boolean;
                        /** @description A whole number. */
                        integerValue?: number;
                        /** @description A text. */
                        stringValue?: string;
                    };
                    /**
                     * @description Whether new records get the field; `always` when absent.
                     * @enum {string}
                     */
                    writeOnCreate?: "always" | "never";
                    /**
                     * @description Whether existing records get it; `always` when absent.
                     * @enum {string}
                     */
                    writeOnUpdate?: "always" | "never" | "ifEmpty";
                };
            };
            /** @description Deprecated: use `selectedFieldSettings`. */
            selectedValueDefaults?: {
                [key: string]: unknown;
            };
        };
        /** @description What is written. */
        WriteIntegration: {
            /** @description Settings of each object. */
            objects: components["schemas"]["WriteObject"][];
        };
        /** @description An object that is written. */
        WriteObject: {
            /** @description Whether the mapping of the read object applies. */
            inheritMapping?: boolean;
            /** @description The provider's name of the object. */
            objectName: string;
            valueDefaults?: components["schemas"]["ValueDefaults"];
        };
        /** @description The records to write, the group, and the options. */
        WriteRequest: {
            /** @description Links from the new record to others, in the provider’s own form. */
            associations?: {
                [key: string]: unknown;
            }[];
            /** @description Collects asynchronous writes of single records into batches. */
            autoBatchPolicy?: {
                /** @description How long the first record may wait for others. */
                maxDelayMinutes: number;
                /**
                 * @description The deadline of retries once the records are sent; takes the place of `retryPolicy`.
                 * @default 1
                 */
                retryDeadlineHours: number;
            };
            /** @description Several records, instead of `record`. Not for deletes. */
            batch?: {
                /** @description Links from the new record to others, in the provider’s own form. */
                associations?: {
                    [key: string]: unknown;
                }[];
                /** @description Values by field: the provider’s names, or those of the mapping. An update or a delete names the record in `id`. */
                record: {
                    [key: string]: unknown;
                };
            }[];
            /** @description How a batch is written. */
            batchPolicy?: {
                /**
                 * @description Either all records of the batch are written or none.
                 * @default false
                 */
                allOrNone: boolean;
            };
            /** @description The group whose account is written to. */
            groupRef: string;
            /** @description Headers to send to the provider with the write, if it takes any. */
            headers?: {
                /** @description Name of the header. */
                key: string;
                /** @description Its value. */
                value: string;
            }[];
            /**
             * @description `synchronous` (the default): returns the outcome. `asynchronous`: returns an operation. Deletes are always synchronous.
             * @enum {string}
             */
            mode?: "synchronous" | "asynchronous";
            /** @description Values by field: the provider’s names, or those of the mapping. An update or a delete names the record in `id`. */
            record?: {
                [key: string]: unknown;
            };
            /** @description Of asynchronous writes. */
            retryPolicy?: {
                /**
                 * @description For how long a write that meets a limit or a failure of the provider is tried again.
                 * @default 1
                 */
                deadlineHours: number;
            };
            /**
             * @description What happens to the records.
             * @enum {string}
             */
            type: "create" | "update" | "delete";
        };
        /** @description Result of a write: `result` for a single record, counts and `results` for a batch. For an asynchronous write, only the operation. */
        WriteResponse: {
            /** @description What went wrong with the request as a whole. */
            errors?: {
                /** @description What went wrong, in a sentence. */
                message: string;
            }[];
            /** @description Of a batch: records that were not. */
            failureCount?: number;
            /** @description Id of the operation. */
            operationId: string;
            /** @description The body of the provider’s answer, at most 8,000 characters, without the credential. Present if the provider refused the write. Also present if its file defines no refusals and the answer has no record id. */
            rawResponse?: string;
            result?: components["schemas"]["WriteResult"];
            /** @description Of a batch: one for each record, in their order. */
            results?: components["schemas"]["WriteResult"][];
            /** @description Of a batch: records that were written. */
            successCount?: number;
            /** @description What did not go to the provider: fields that its file does not name, and of a single record that was not written also what mapping or config left out. */
            warnings?: {
                /** @description What went wrong, in a sentence. */
                message: string;
            }[];
        };
        /** @description Result of one record. */
        WriteResult: {
            /** @description The record as the provider answered it. */
            data?: {
                [key: string]: unknown;
            };
            /** @description Why a record of a batch was not written. */
            errors?: {
                /** @description What went wrong, in a sentence. */
                message: string;
            }[];
            /** @description The provider’s id of the record. */
            recordId?: string;
            /** @description Whether the record was written. */
            success: boolean;
        };
    };
    responses: {
        /** @description Problem: address-not-verified, forbidden, second-factor-missing. */
        "address-not-verified_forbidden_second-factor-missing.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: api-key-not-found, not-found. */
        "api-key-not-found_not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: api-key-not-found, not-found. */
        "api-key-not-found_not-found.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: body-too-large. */
        "body-too-large": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: body-too-large. */
        "body-too-large.public": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: body-too-large. */
        "body-too-large.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: capability-not-implemented, idempotency-key-reused. */
        "capability-not-implemented_idempotency-key-reused.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: capability-not-implemented, provider-credentials-refused, provider-refused, provider-address-unusable. */
        "capability-not-implemented_provider-credentials-refused_provider-refused_provider-address-unusable": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: capability-not-implemented, provider-credentials-refused, provider-refused, provider-address-unusable, idempotency-key-reused. */
        "capability-not-implemented_provider-credentials-refused_provider-refused_provider-address-unusable_idempotency-key-reused.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: capability-not-implemented, sample-read-failed, idempotency-key-reused. */
        "capability-not-implemented_sample-read-failed_idempotency-key-reused.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: certificate-unavailable, subscription-unconfirmed, inbound-busy. */
        "certificate-unavailable_subscription-unconfirmed_inbound-busy.public": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: claimed-domain-not-found. */
        "claimed-domain-not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: connect-session-not-found, not-found. */
        "connect-session-not-found_not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: connection-exists, idempotency-key-in-use, idempotency-key-unfinished. */
        "connection-exists_idempotency-key-in-use_idempotency-key-unfinished.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: connection-in-use, invalid-input. */
        "connection-in-use_invalid-input": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: connection-not-found, not-found. */
        "connection-not-found_not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: connection-not-found, not-found. */
        "connection-not-found_not-found.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: connection-not-found, object-not-found, not-found. */
        "connection-not-found_object-not-found_not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: connection-not-found. */
        "connection-not-found.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: consumer-not-found, not-found. */
        "consumer-not-found_not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: credential-needed, forbidden, second-factor-missing. */
        "credential-needed_forbidden_second-factor-missing.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: credential-not-implemented. */
        "credential-not-implemented.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: credential-refused, provider-unreachable, idempotency-key-reused. */
        "credential-refused_provider-unreachable_idempotency-key-reused.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: custom-auth-unavailable. */
        "custom-auth-unavailable.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: deploy-queue-full. */
        "deploy-queue-full": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: deploy-queue-full. */
        "deploy-queue-full.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: destination-name-taken, idempotency-key-reused. */
        "destination-name-taken_idempotency-key-reused.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: destination-not-found, not-found. */
        "destination-not-found_not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: destination-not-found, not-found. */
        "destination-not-found_not-found.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: domain-lookup-failed. */
        "domain-lookup-failed.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: domain-taken, domain-not-verified, idempotency-key-in-use, idempotency-key-unfinished. */
        "domain-taken_domain-not-verified_idempotency-key-in-use_idempotency-key-unfinished.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: domain-taken, idempotency-key-in-use, idempotency-key-unfinished. */
        "domain-taken_idempotency-key-in-use_idempotency-key-unfinished.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: event-malformed, invalid-input. */
        "event-malformed_invalid-input.public": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: event-unverified. */
        "event-unverified.public": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: factor-not-begun, passkeys-unavailable, too-many-factors, idempotency-key-in-use, idempotency-key-unfinished. */
        "factor-not-begun_passkeys-unavailable_too-many-factors_idempotency-key-in-use_idempotency-key-unfinished.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: factor-not-begun, too-many-factors, idempotency-key-in-use, idempotency-key-unfinished. */
        "factor-not-begun_too-many-factors_idempotency-key-in-use_idempotency-key-unfinished.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: factor-not-found. */
        "factor-not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: factor-refused, invalid-input, malformed-body. */
        "factor-refused_invalid-input_malformed-body.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: forbidden. */
        forbidden: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: forbidden, address-not-verified, removed-from-org, second-factor-missing. */
        "forbidden_address-not-verified_removed-from-org_second-factor-missing.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: forbidden, second-factor-missing. */
        "forbidden_second-factor-missing": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: forbidden, second-factor-missing. */
        "forbidden_second-factor-missing.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: forbidden. */
        "forbidden.public": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: forbidden. */
        "forbidden.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: group-not-found, not-found. */
        "group-not-found_not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: idempotency-key-in-use, idempotency-key-unfinished. */
        "idempotency-key-in-use_idempotency-key-unfinished.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: idempotency-key-reused. */
        "idempotency-key-reused.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: installation-busy, idempotency-key-in-use, idempotency-key-unfinished. */
        "installation-busy_idempotency-key-in-use_idempotency-key-unfinished.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: installation-not-found, no-backfill, not-found. */
        "installation-not-found_no-backfill_not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: installation-not-found, not-found. */
        "installation-not-found_not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: installation-not-found, not-found. */
        "installation-not-found_not-found.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: integration-not-found, installation-not-found, no-webhook-set-up, not-found. */
        "integration-not-found_installation-not-found_no-webhook-set-up_not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: integration-not-found, installation-not-found, not-found. */
        "integration-not-found_installation-not-found_not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: integration-not-found, installation-not-found, not-found. */
        "integration-not-found_installation-not-found_not-found.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: integration-not-found, installation-not-found, object-not-found, not-found. */
        "integration-not-found_installation-not-found_object-not-found_not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: integration-not-found, not-found. */
        "integration-not-found_not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: integration-not-found, not-found. */
        "integration-not-found_not-found.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: integration-not-found, object-not-found, not-found. */
        "integration-not-found_object-not-found_not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: integration-not-found, object-not-found, not-found. */
        "integration-not-found_object-not-found_not-found.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: integration-not-found, revision-not-found, connection-not-found, object-not-found, not-found. */
        "integration-not-found_revision-not-found_connection-not-found_object-not-found_not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: invalid-input. */
        "invalid-input": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: invalid-input, custom-auth-refused, custom-auth-session-ended, malformed-body. */
        "invalid-input_custom-auth-refused_custom-auth-session-ended_malformed-body.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: invalid-input, malformed-body. */
        "invalid-input_malformed-body": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: invalid-input, malformed-body. */
        "invalid-input_malformed-body.public": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: invalid-input, malformed-body. */
        "invalid-input_malformed-body.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: invalid-input. */
        "invalid-input.public": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: invalid-input. */
        "invalid-input.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: jwt-key-not-found, not-found. */
        "jwt-key-not-found_not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: jwt-key-not-found, not-found. */
        "jwt-key-not-found_not-found.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: last-owner. */
        "last-owner": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: last-owner, idempotency-key-in-use, idempotency-key-unfinished. */
        "last-owner_idempotency-key-in-use_idempotency-key-unfinished.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: mail-not-set-up. */
        "mail-not-set-up.public": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: malformed-body. */
        "malformed-body": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: malformed-body. */
        "malformed-body.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: member-of-other-org. */
        "member-of-other-org": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: member-of-other-org, signs-in-elsewhere, idempotency-key-in-use, idempotency-key-unfinished. */
        "member-of-other-org_signs-in-elsewhere_idempotency-key-in-use_idempotency-key-unfinished.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: message-not-found, not-found. */
        "message-not-found_not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: no-factors, idempotency-key-in-use, idempotency-key-unfinished. */
        "no-factors_idempotency-key-in-use_idempotency-key-unfinished.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: not-found. */
        "not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: not-found, builder-not-found. */
        "not-found_builder-not-found.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: not-found, claimed-domain-not-found. */
        "not-found_claimed-domain-not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: not-found, claimed-domain-not-found. */
        "not-found_claimed-domain-not-found.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: not-found, invite-not-found. */
        "not-found_invite-not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: not-found, member-not-found. */
        "not-found_member-not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: not-found, member-not-found. */
        "not-found_member-not-found.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: not-found. */
        "not-found.public": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: not-found. */
        "not-found.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: not-ready. */
        "not-ready.public": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: nothing-to-accept. */
        "nothing-to-accept.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: operation-installation-not-found, not-found. */
        "operation-installation-not-found_not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: operation-not-found, not-found. */
        "operation-not-found_not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: passkeys-unavailable, too-many-factors, idempotency-key-in-use, idempotency-key-unfinished. */
        "passkeys-unavailable_too-many-factors_idempotency-key-in-use_idempotency-key-unfinished.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Any other problem. */
        problem: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Any other problem. */
        "problem.public": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Any other problem. */
        "problem.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: project-name-taken, idempotency-key-in-use, idempotency-key-unfinished. */
        "project-name-taken_idempotency-key-in-use_idempotency-key-unfinished.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: proof-refused, forbidden. */
        "proof-refused_forbidden.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: proof-required, forbidden. */
        "proof-required_forbidden": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: proof-required, forbidden. */
        "proof-required_forbidden.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: provider-app-in-use. */
        "provider-app-in-use": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: provider-app-not-found, not-found. */
        "provider-app-not-found_not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: provider-app-not-found, not-found. */
        "provider-app-not-found_not-found.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: provider-not-found, connection-not-found, not-found. */
        "provider-not-found_connection-not-found_not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: provider-not-found, connection-not-found, not-found. */
        "provider-not-found_connection-not-found_not-found.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: provider-not-found. */
        "provider-not-found.public": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: provider-rate-limited, rate-limited. */
        "provider-rate-limited_rate-limited": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: provider-rate-limited, rate-limited. */
        "provider-rate-limited_rate-limited.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: provider-unavailable, provider-answer-unexpected. */
        "provider-unavailable_provider-answer-unexpected": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: provider-unavailable, provider-answer-unexpected. */
        "provider-unavailable_provider-answer-unexpected.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: rate-limited. */
        "rate-limited": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: rate-limited. */
        "rate-limited.public": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: rate-limited. */
        "rate-limited.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: renewal-unavailable. */
        "renewal-unavailable": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: replay-not-found, not-found. */
        "replay-not-found_not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: reset-link-refused. */
        "reset-link-refused.public": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: result-not-found. */
        "result-not-found.public": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: result-url-expired. */
        "result-url-expired.public": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: result-url-refused. */
        "result-url-refused.public": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: route-exists, idempotency-key-in-use, idempotency-key-unfinished. */
        "route-exists_idempotency-key-in-use_idempotency-key-unfinished.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: route-not-found, not-found. */
        "route-not-found_not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: session-ended, unauthenticated. */
        "session-ended_unauthenticated.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: session-ended. */
        "session-ended.public": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: session-not-found. */
        "session-not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: sign-in-code-refused. */
        "sign-in-code-refused.public": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: sign-in-refused, second-factor-required, second-factor-refused. */
        "sign-in-refused_second-factor-required_second-factor-refused.public": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: subscription-not-found. */
        "subscription-not-found.public": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: too-many-attempts, rate-limited. */
        "too-many-attempts_rate-limited.public": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: too-many-attempts, rate-limited. */
        "too-many-attempts_rate-limited.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: too-many-factors, idempotency-key-in-use, idempotency-key-unfinished. */
        "too-many-factors_idempotency-key-in-use_idempotency-key-unfinished.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: too-many-keys, idempotency-key-reused. */
        "too-many-keys_idempotency-key-reused.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: too-many-password-resets, rate-limited. */
        "too-many-password-resets_rate-limited.public": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: too-many-streams, rate-limited. */
        "too-many-streams_rate-limited": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: too-many-uploads, rate-limited. */
        "too-many-uploads_rate-limited": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: too-many-verifications, rate-limited. */
        "too-many-verifications_rate-limited.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: topic-name-taken, idempotency-key-in-use, idempotency-key-unfinished. */
        "topic-name-taken_idempotency-key-in-use_idempotency-key-unfinished.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: topic-not-found, destination-not-found, not-found. */
        "topic-not-found_destination-not-found_not-found.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: topic-not-found, not-found. */
        "topic-not-found_not-found": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: topic-not-found, not-found. */
        "topic-not-found_not-found.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: unacceptable-input. */
        "unacceptable-input": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: unacceptable-input, capability-not-implemented, provider-credentials-refused, provider-refused, provider-address-unusable. */
        "unacceptable-input_capability-not-implemented_provider-credentials-refused_provider-refused_provider-address-unusable": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: unacceptable-input, capability-not-implemented, sample-read-failed, idempotency-key-reused. */
        "unacceptable-input_capability-not-implemented_sample-read-failed_idempotency-key-reused.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: unacceptable-input, idempotency-key-reused. */
        "unacceptable-input_idempotency-key-reused.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: unacceptable-input, manifest-too-costly. */
        "unacceptable-input_manifest-too-costly": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: unacceptable-input, manifest-too-costly, idempotency-key-reused. */
        "unacceptable-input_manifest-too-costly_idempotency-key-reused.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: unacceptable-input, too-many-keys, idempotency-key-reused. */
        "unacceptable-input_too-many-keys_idempotency-key-reused.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: unauthenticated. */
        unauthenticated: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: unauthenticated. */
        "unauthenticated.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: unsupported-media-type. */
        "unsupported-media-type": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: unsupported-media-type. */
        "unsupported-media-type.public": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: unsupported-media-type. */
        "unsupported-media-type.repeatable": {
            headers: {
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: upload-gone. */
        "upload-gone.public": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Problem: upload-url-invalid. */
        "upload-url-invalid.public": {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
        IdempotencyKey: string;
        /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
        IfNoneMatch: string;
    };
    requestBodies: never;
    headers: {
        /** @description Entity tag of the answer, for If-None-Match. */
        ETag: string;
        /** @description `true` when this is the answer that an earlier request with the same key was given. */
        "Idempotency-Replayed": string;
        /** @description The next page: `<URL>; rel="next"`, relative to the URL of the request. Absent on the last page. */
        Link: string;
        /** @description Requests left: `"credential";r=LEFT;t=SECONDS`, or `"address"` where no credential is needed. Absent where no rate is set. */
        RateLimit: string;
        /** @description The rate limit: `"credential";q=REQUESTS;w=SECONDS`, or `"address"`. Absent where no rate is set. */
        "RateLimit-Policy": string;
        /** @description Seconds to wait before the request may succeed. */
        "Retry-After": string;
        /** @description `pageToken` of the next page. Absent on the last page. */
        "X-Next-Page-Token": string;
        /** @description Id of the request, which the log knows it by. */
        "X-Request-Id": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    openFrontPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    listTokenKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description RSA keys (RFC 7517). */
                        keys: {
                            [key: string]: unknown;
                        }[];
                    };
                };
            };
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    showCustomAuthCallback: {
        parameters: {
            query?: {
                /** @description What the browser was sent away with: it finds the page that waits. */
                state?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A page. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    submitCustomAuthCallback: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A page. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            413: components["responses"]["body-too-large.public"];
            415: components["responses"]["unsupported-media-type.public"];
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    startCustomAuth: {
        parameters: {
            query?: {
                /** @description Which session. */
                state?: unknown;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    showOAuthCallback: {
        parameters: {
            query?: {
                /** @description The authorization code. */
                code?: unknown;
                /** @description Why there is no code (RFC 6749, 4.1.2.1). */
                error?: unknown;
                /** @description Who answers (RFC 9207). */
                iss?: unknown;
                /** @description Which flow it answers. */
                state?: unknown;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            429: components["responses"]["rate-limited.public"];
            /** @description Done. */
            500: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            default: components["responses"]["problem.public"];
        };
    };
    submitOAuthCallback: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            413: components["responses"]["body-too-large.public"];
            415: components["responses"]["unsupported-media-type.public"];
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    startOAuth: {
        parameters: {
            query?: {
                /** @description Which flow. */
                state?: unknown;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    getConnectScript: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            302: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            404: components["responses"]["not-found.public"];
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    showConnectPage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The token of the link. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input.public"];
            /** @description Done. */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    showConnectForm: {
        parameters: {
            query?: {
                /** @description Which provider, where the session has several. */
                provider?: string;
                /** @description Which way to connect, where the provider has several. */
                with?: string;
                /** @description Any value: continues without the permissions that the account did not grant. */
                without?: string;
            };
            header?: never;
            path: {
                /** @description The token of the link. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            400: components["responses"]["invalid-input.public"];
            /** @description Done. */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    submitConnectForm: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The token of the link. */
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            413: components["responses"]["body-too-large.public"];
            415: components["responses"]["unsupported-media-type.public"];
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    getConnectAsset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the script, with a hash of its content. */
                script: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/javascript; charset=utf-8": string;
                };
            };
            400: components["responses"]["invalid-input.public"];
            404: components["responses"]["not-found.public"];
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    showConsole: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            429: components["responses"]["rate-limited.public"];
            /** @description Done. */
            503: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            default: components["responses"]["problem.public"];
        };
    };
    showConsolePage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the page. */
                page: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            400: components["responses"]["invalid-input.public"];
            429: components["responses"]["rate-limited.public"];
            /** @description Done. */
            503: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            default: components["responses"]["problem.public"];
        };
    };
    getConsoleAsset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the file, with a hash of its content. */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/javascript; charset=utf-8": string;
                };
            };
            400: components["responses"]["invalid-input.public"];
            404: components["responses"]["not-found.public"];
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    signOutOfConsole: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            403: components["responses"]["forbidden.public"];
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    createConsoleToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An access token of the console, for the session of the browser. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsoleToken"];
                };
            };
            401: components["responses"]["session-ended.public"];
            403: components["responses"]["forbidden.public"];
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    getReference: {
        parameters: {
            query?: {
                /** @description Words to search for, in any order. */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            400: components["responses"]["invalid-input.public"];
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    getReferencePage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the page. */
                page: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            400: components["responses"]["invalid-input.public"];
            404: components["responses"]["not-found.public"];
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    getReferenceScript: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the script, with a hash of its content. */
                script: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/javascript; charset=utf-8": string;
                };
            };
            400: components["responses"]["invalid-input.public"];
            404: components["responses"]["not-found.public"];
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    getGuide: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the guide. */
                guide: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            400: components["responses"]["invalid-input.public"];
            404: components["responses"]["not-found.public"];
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    getProviderPage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the provider in the catalog. */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            400: components["responses"]["invalid-input.public"];
            404: components["responses"]["not-found.public"];
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Its state.
                         * @enum {string}
                         */
                        status: "alive";
                    };
                };
            };
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; version=0.0.4; charset=utf-8": string;
                };
            };
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    getProblemPage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Code of the problem. */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            400: components["responses"]["invalid-input.public"];
            404: components["responses"]["not-found.public"];
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    pauseReads: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the installation. */
                installationId: string;
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PauseReadsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["installation-not-found_not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    unpauseReads: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the installation. */
                installationId: string;
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PauseReadsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["installation-not-found_not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    triggerRead: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Name of the object in the manifest, percent-encoded. */
                objectName: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TriggerReadRequest"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The operation of the read. */
                        operationId: string;
                    };
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["integration-not-found_not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    deliverResults: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Name of the object in the manifest, percent-encoded. */
                objectName: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeliverResultsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["integration-not-found_not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Its state.
                         * @enum {string}
                         */
                        status: "ready";
                    };
                };
            };
            429: components["responses"]["rate-limited.public"];
            503: components["responses"]["not-ready.public"];
            default: components["responses"]["problem.public"];
        };
    };
    getResult: {
        parameters: {
            query?: {
                /** @description Part of the signed URL: what it is for. */
                claims?: string;
                /** @description Part of the signed URL: when it expires, in Unix seconds. */
                expires?: string;
                /** @description Part of the signed URL: what proves the rest of it. */
                signature?: string;
            };
            header?: never;
            path: {
                /** @description Id of the result, from the signed URL. */
                resultId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole `result`, a JSON array; of a notification the config, a JSON object. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown[] | Record<string, never>;
                };
            };
            400: components["responses"]["invalid-input.public"];
            403: components["responses"]["result-url-refused.public"];
            404: components["responses"]["result-not-found.public"];
            410: components["responses"]["result-url-expired.public"];
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    getSchema: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the schema: `manifest.json` or `provider.json`. */
                schema: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A JSON Schema. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/schema+json": Record<string, never>;
                };
            };
            400: components["responses"]["invalid-input.public"];
            404: components["responses"]["not-found.public"];
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    searchRecords: {
        parameters: {
            query: {
                /** @description The group whose account to use. */
                groupRef: string;
            };
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SearchRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchResponse"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["integration-not-found_object-not-found_not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["capability-not-implemented_provider-credentials-refused_provider-refused_provider-address-unusable_idempotency-key-reused.repeatable"];
            429: components["responses"]["provider-rate-limited_rate-limited.repeatable"];
            502: components["responses"]["provider-unavailable_provider-answer-unexpected.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    showSignInPage: {
        parameters: {
            query?: {
                /** @description Path on this service to continue at. Anything else is ignored. */
                next?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            502: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            default: components["responses"]["problem.public"];
        };
    };
    submitSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            413: components["responses"]["body-too-large.public"];
            415: components["responses"]["unsupported-media-type.public"];
            /** @description Done. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            502: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            default: components["responses"]["problem.public"];
        };
    };
    showAmpCliPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            502: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            default: components["responses"]["problem.public"];
        };
    };
    submitAmpCli: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            413: components["responses"]["body-too-large.public"];
            415: components["responses"]["unsupported-media-type.public"];
            /** @description Done. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            502: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            default: components["responses"]["problem.public"];
        };
    };
    showCliConsentPage: {
        parameters: {
            query?: {
                /** @description SHA-256 of its verifier in base64url (RFC 7636, S256). */
                challenge?: string;
                /** @description Where the command line waits on this computer. */
                port?: string;
                /** @description Returned unchanged: 8 to 200 unreserved characters that nobody can guess. */
                state?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            502: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            default: components["responses"]["problem.public"];
        };
    };
    submitCliConsent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            413: components["responses"]["body-too-large.public"];
            415: components["responses"]["unsupported-media-type.public"];
            /** @description Done. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            502: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            default: components["responses"]["problem.public"];
        };
    };
    showSignedInPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            502: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            default: components["responses"]["problem.public"];
        };
    };
    showEnrollPage: {
        parameters: {
            query?: {
                /** @description Path on this service to continue at. Anything else is ignored. */
                next?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            502: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            default: components["responses"]["problem.public"];
        };
    };
    submitEnroll: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            413: components["responses"]["body-too-large.public"];
            415: components["responses"]["unsupported-media-type.public"];
            /** @description Done. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            502: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            default: components["responses"]["problem.public"];
        };
    };
    confirmEnroll: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            413: components["responses"]["body-too-large.public"];
            415: components["responses"]["unsupported-media-type.public"];
            /** @description Done. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            502: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            default: components["responses"]["problem.public"];
        };
    };
    showFactorPage: {
        parameters: {
            query?: {
                /** @description Path on this service to continue at. Anything else is ignored. */
                next?: string;
                /** @description What to use: `totp`, `passkey` or `recoveryCode`. */
                with?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            502: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            default: components["responses"]["problem.public"];
        };
    };
    submitFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            413: components["responses"]["body-too-large.public"];
            415: components["responses"]["unsupported-media-type.public"];
            /** @description Done. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            502: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            default: components["responses"]["problem.public"];
        };
    };
    showForgotPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            502: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            default: components["responses"]["problem.public"];
        };
    };
    submitForgot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            413: components["responses"]["body-too-large.public"];
            415: components["responses"]["unsupported-media-type.public"];
            /** @description Done. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            502: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            default: components["responses"]["problem.public"];
        };
    };
    showInvitePage: {
        parameters: {
            query?: {
                /** @description The token of the link. */
                token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            502: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            default: components["responses"]["problem.public"];
        };
    };
    submitInvite: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            413: components["responses"]["body-too-large.public"];
            415: components["responses"]["unsupported-media-type.public"];
            /** @description Done. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            502: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            default: components["responses"]["problem.public"];
        };
    };
    startSingleSignOn: {
        parameters: {
            query?: {
                /** @description Path on this service to continue at. Anything else is ignored. */
                next?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            502: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            default: components["responses"]["problem.public"];
        };
    };
    finishSingleSignOn: {
        parameters: {
            query?: {
                /** @description Identifies the sign-in. */
                state?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            502: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            default: components["responses"]["problem.public"];
        };
    };
    submitSignOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            413: components["responses"]["body-too-large.public"];
            415: components["responses"]["unsupported-media-type.public"];
            /** @description Done. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            502: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            default: components["responses"]["problem.public"];
        };
    };
    showResetPage: {
        parameters: {
            query?: {
                /** @description The token of the link. */
                token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            502: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            default: components["responses"]["problem.public"];
        };
    };
    submitReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            413: components["responses"]["body-too-large.public"];
            415: components["responses"]["unsupported-media-type.public"];
            /** @description Done. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            502: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            default: components["responses"]["problem.public"];
        };
    };
    showSetupPage: {
        parameters: {
            query?: {
                /** @description The token of the link. */
                token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            502: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            default: components["responses"]["problem.public"];
        };
    };
    submitSetup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            413: components["responses"]["body-too-large.public"];
            415: components["responses"]["unsupported-media-type.public"];
            /** @description Done. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Done. */
            502: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            default: components["responses"]["problem.public"];
        };
    };
    checkAppWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or name of the integration. */
                integrationId: string;
                /** @description Id of the project; a name is none here. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Empty, or the response that the provider requires. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; charset=utf-8": string;
                };
            };
            400: components["responses"]["invalid-input.public"];
            404: components["responses"]["subscription-not-found.public"];
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    receiveAppEvents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or name of the integration. */
                integrationId: string;
                /** @description Id of the project; a name is none here. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Empty, or the response that the provider requires. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; charset=utf-8": string;
                };
            };
            400: components["responses"]["event-malformed_invalid-input.public"];
            401: components["responses"]["event-unverified.public"];
            404: components["responses"]["subscription-not-found.public"];
            413: components["responses"]["body-too-large.public"];
            429: components["responses"]["rate-limited.public"];
            503: components["responses"]["certificate-unavailable_subscription-unconfirmed_inbound-busy.public"];
            default: components["responses"]["problem.public"];
        };
    };
    checkInstallationWebhook: {
        parameters: {
            query?: {
                /** @description The registration at the provider. */
                registration?: string;
            };
            header?: never;
            path: {
                /** @description Id of the installation. */
                installationId: string;
                /** @description Id or name of the integration. */
                integrationId: string;
                /** @description Id of the project; a name is none here. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Empty, or the response that the provider requires. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; charset=utf-8": string;
                };
            };
            400: components["responses"]["invalid-input.public"];
            404: components["responses"]["subscription-not-found.public"];
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    receiveInstallationEvents: {
        parameters: {
            query?: {
                /** @description The registration at the provider. */
                registration?: string;
            };
            header?: never;
            path: {
                /** @description Id of the installation. */
                installationId: string;
                /** @description Id or name of the integration. */
                integrationId: string;
                /** @description Id of the project; a name is none here. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Empty, or the response that the provider requires. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; charset=utf-8": string;
                };
            };
            400: components["responses"]["event-malformed_invalid-input.public"];
            401: components["responses"]["event-unverified.public"];
            404: components["responses"]["subscription-not-found.public"];
            413: components["responses"]["body-too-large.public"];
            429: components["responses"]["rate-limited.public"];
            503: components["responses"]["certificate-unavailable_subscription-unconfirmed_inbound-busy.public"];
            default: components["responses"]["problem.public"];
        };
    };
    checkClaimedDomain: {
        parameters: {
            query: {
                /** @description A domain, an email address or a URL. */
                domain: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClaimedDomainResponse"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["claimed-domain-not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    claimDomain: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A domain, an email address or a URL. */
                    domain: string;
                    /** @description Id of the organization. */
                    parentId: string;
                    /**
                     * @description What the domain is claimed for.
                     * @enum {string}
                     */
                    parentType: "org";
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClaimedDomainResponse"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            409: components["responses"]["domain-taken_idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    getClient: {
        parameters: {
            query?: {
                /** @description The token of the session, where cookies are not kept. */
                __dev_session?: string;
                /** @description Sent by the existing command line. Ignored. */
                _clerk_js_version?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The client. */
                        response: {
                            /** @description At most one. */
                            sessions: {
                                /** @description Id of the session. */
                                id: string;
                                /** @description The token to send as `Authorization: Bearer`. */
                                last_active_token: {
                                    /** @description An access token. */
                                    jwt: string;
                                };
                                /**
                                 * @description Sessions that have ended are not listed.
                                 * @constant
                                 */
                                status: "active";
                            }[];
                        };
                    };
                };
            };
            400: components["responses"]["invalid-input.public"];
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    customAuthConnect: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CustomAuthConnectRequest"];
            };
        };
        responses: {
            /** @description Either `redirect` or, when nothing is left to do, `connection`. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomAuthConnectResponse"];
                };
            };
            400: components["responses"]["invalid-input_custom-auth-refused_custom-auth-session-ended_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["connection-not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            502: components["responses"]["custom-auth-unavailable.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    generateUploadUrl: {
        parameters: {
            query?: {
                /** @description MD5 of the file in base64; no other file is accepted then. */
                md5?: string;
                /** @description Extension: the project to upload for. An API key has one; builders with several must say which. */
                projectIdOrName?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedUrl"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            422: components["responses"]["unacceptable-input"];
            429: components["responses"]["too-many-uploads_rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    acceptInvite: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The address that was invited: the one that you signed in with. */
                    invitedEmail: string;
                    /** @description Token of the invite’s link. Accepts that invite. An extension. */
                    token?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BuilderInfo"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["address-not-verified_forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["nothing-to-accept.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    getMyInfo: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BuilderInfo"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    listMyFactors: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Your factors, in the order of their creation. */
                        factors: components["schemas"]["Factor"][];
                        /** @description How many recovery codes you have not used. */
                        recoveryCodesLeft: number;
                    };
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    beginPasskey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description Until when you can confirm it.
                         */
                        expireTime: string;
                        /** @description `PublicKeyCredentialCreationOptionsJSON` (WebAuthn level 3). */
                        options: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["proof-required_forbidden.repeatable"];
            409: components["responses"]["passkeys-unavailable_too-many-factors_idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    beginTotp: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description Until when you can confirm it.
                         */
                        expireTime: string;
                        /** @description The secret in base32, for apps without a camera. */
                        secret: string;
                        /** @description The secret as `otpauth://` address, for a QR code. */
                        uri: string;
                    };
                };
            };
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["proof-required_forbidden.repeatable"];
            409: components["responses"]["too-many-factors_idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    confirmPasskey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description `toJSON()` of the credential that `navigator.credentials.create` returned. */
                    credential: {
                        /** @description Id of the credential in base64url. */
                        id: string;
                        /** @description The same. */
                        rawId: string;
                        /** @description The response of the authenticator. */
                        response: {
                            /** @description The public key, in base64url. */
                            attestationObject: string;
                            /** @description What the browser saw, in base64url. */
                            clientDataJSON: string;
                            /** @description How browsers reach the authenticator. */
                            transports?: string[];
                        };
                        /**
                         * @description The only type.
                         * @constant
                         */
                        type: "public-key";
                    };
                    /** @description A name for the factor, such as `Phone`. Default: its kind. */
                    name?: string;
                };
            };
        };
        responses: {
            /** @description A factor that was set up. The first one of an account brings recovery codes. */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewFactor"];
                };
            };
            400: components["responses"]["factor-refused_invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["proof-required_forbidden.repeatable"];
            409: components["responses"]["factor-not-begun_passkeys-unavailable_too-many-factors_idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    confirmTotp: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The six digits that the app shows. */
                    code: string;
                    /** @description A name for the factor, such as `Phone`. Default: its kind. */
                    name?: string;
                };
            };
        };
        responses: {
            /** @description A factor that was set up. The first one of an account brings recovery codes. */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewFactor"];
                };
            };
            400: components["responses"]["factor-refused_invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["proof-required_forbidden.repeatable"];
            409: components["responses"]["factor-not-begun_too-many-factors_idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    deleteMyFactor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the factor. */
                factorId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["proof-required_forbidden"];
            404: components["responses"]["factor-not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The password. */
                    currentPassword: string;
                    /** @description The new password: 12 to 200 characters, and not easy to guess. */
                    newPassword: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["session-ended_unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["too-many-attempts_rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    createMyProof: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A code of your authenticator app, or a recovery code. */
                    code?: string;
                    /** @description The password. */
                    password?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description Until when you can change factors.
                         */
                        validUntil: string;
                    };
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["session-ended_unauthenticated.repeatable"];
            403: components["responses"]["proof-refused_forbidden.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["too-many-attempts_rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    replaceMyRecoveryCodes: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description New recovery codes. */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["proof-required_forbidden.repeatable"];
            409: components["responses"]["no-factors_idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    listMySessions: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MySession"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    endOtherSessions: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How many sessions ended. */
                        ended: number;
                    };
                };
            };
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    deleteMySession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["session-not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    oauthConnect: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OAuthConnectRequest"];
            };
        };
        responses: {
            /** @description The URL to open in its own window. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; charset=utf-8": string;
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    createOrg: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Its name, as people see it; 1 to 128 characters. */
                    label: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Org"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    getOrg: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the organization. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Org"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    updateOrg: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the organization. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The new values. What updateMask does not list is ignored. */
                    org: {
                        /** @description Its name, as people see it; 1 to 128 characters. */
                        label?: string;
                        /** @description Whether members need a second factor. Members without one must set one up before they can do anything else. */
                        requireSecondFactor?: boolean;
                    };
                    /** @description What to change: `label`, `requireSecondFactor`. */
                    updateMask: string[];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Org"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    listOrgAuditEntries: {
        parameters: {
            query?: {
                /** @description Entries of this operationId alone. */
                action?: string;
                /** @description Entries of this actor alone. */
                actorId?: string;
                /** @description Entries before this time. */
                endTime?: string;
                /** @description Items of one page at most. Without it the list is whole. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
                /** @description Entries of this resource alone. */
                resourceId?: string;
                /** @description Entries of resources of this kind alone. */
                resourceKind?: string;
                /** @description Entries from this time on. */
                startTime?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the organization. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntry"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    verifyOrgAuditLog: {
        parameters: {
            query?: {
                /** @description Where this part begins: `nextPageToken` of the part before it. */
                pageToken?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the organization. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result of verifying a part of an audit log. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditVerification"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    listOrgBuilders: {
        parameters: {
            query?: {
                /** @description Items of one page at most. Without it the list is whole. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the organization. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Builder"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    deleteOrgBuilder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the member. */
                builderId: string;
                /** @description Id of the organization. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found_member-not-found"];
            409: components["responses"]["last-owner"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    updateOrgBuilder: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the member. */
                builderId: string;
                /** @description Id of the organization. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The new value. What updateMask does not list is ignored. */
                    builder: {
                        /**
                         * @description The new role. `member`, of earlier releases, is `developer`.
                         * @enum {string}
                         */
                        role?: "viewer" | "operator" | "developer" | "owner" | "member";
                    };
                    /** @description What to change: `role`. */
                    updateMask: string[];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Builder"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["not-found_member-not-found.repeatable"];
            409: components["responses"]["last-owner_idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    deleteOrgBuilderFactors: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the member. */
                builderId: string;
                /** @description Id of the organization. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found_member-not-found"];
            409: components["responses"]["member-of-other-org"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    createPasswordReset: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the member. */
                builderId: string;
                /** @description Id of the organization. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A link with which a builder resets a forgotten password. */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasswordReset"];
                };
            };
            400: components["responses"]["invalid-input.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["not-found_member-not-found.repeatable"];
            409: components["responses"]["member-of-other-org_signs-in-elsewhere_idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    listOrgClaimedDomains: {
        parameters: {
            query?: {
                /** @description Items of one page at most. Without it the list is whole. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the organization. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClaimedDomainResponse"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    deleteClaimedDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the claim on a domain. */
                claimedDomainId: string;
                /** @description Id of the organization. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found_claimed-domain-not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    verifyClaimedDomain: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the claim on a domain. */
                claimedDomainId: string;
                /** @description Id of the organization. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClaimedDomainResponse"];
                };
            };
            400: components["responses"]["invalid-input.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["not-found_claimed-domain-not-found.repeatable"];
            409: components["responses"]["domain-taken_domain-not-verified_idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["too-many-verifications_rate-limited.repeatable"];
            502: components["responses"]["domain-lookup-failed.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    listOrgInvites: {
        parameters: {
            query?: {
                /** @description Items of one page at most. Without it the list is whole. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the organization. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invite"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    createOrgInvite: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the organization. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The email address to invite. */
                    email: string;
                    /**
                     * @description Role that the person gets. An invite as owner gives the role `developer` if you are no longer an owner when the person accepts. An extension. `member`, of earlier releases, is `developer`.
                     * @default developer
                     * @enum {string}
                     */
                    role?: "viewer" | "operator" | "developer" | "owner" | "member";
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewInvite"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    getOrgInvite: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the invite. */
                inviteId: string;
                /** @description Id of the organization. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invite"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found_invite-not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    deleteOrgInvite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the invite. */
                inviteId: string;
                /** @description Id of the organization. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found_invite-not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    addUserToOrg: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the organization. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Id of the builder, from GET /my-info. */
                    builderId: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_address-not-verified_removed-from-org_second-factor-missing.repeatable"];
            404: components["responses"]["not-found_builder-not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    requestPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Mail address of the account, in any case. */
                    email: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input_malformed-body.public"];
            409: components["responses"]["mail-not-set-up.public"];
            413: components["responses"]["body-too-large.public"];
            415: components["responses"]["unsupported-media-type.public"];
            429: components["responses"]["too-many-password-resets_rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    completePasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The new password: 12 to 200 characters, and not easy to guess. */
                    newPassword: string;
                    /** @description The token of the link: what follows `token=`. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input_malformed-body.public"];
            401: components["responses"]["reset-link-refused.public"];
            413: components["responses"]["body-too-large.public"];
            415: components["responses"]["unsupported-media-type.public"];
            429: components["responses"]["too-many-attempts_rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    listProjects: {
        parameters: {
            query?: {
                /** @description Items of one page at most. Without it the list is whole. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    createProject: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Name that end users see while they connect an account; 1 to 128 characters. */
                    appName: string;
                    /** @description 2 to 128 letters, digits and dashes, with no dash at either end; unique on the service, and stored in lower case. */
                    name: string;
                    /** @description The organization that will own the project. */
                    orgId: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["unacceptable-input_idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    getProject: {
        parameters: {
            query?: {
                /** @description Whether `entitlements` is part of the answer. */
                includeEntitlements?: boolean;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    updateProject: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The new values. What updateMask does not list is ignored. */
                    project: {
                        /** @description Name that end users see; 1 to 128 characters. */
                        appName?: string;
                        /** @description How connect pages and components look, in which language, and where they may be shown. */
                        connect?: {
                            /** @description Origins of the pages that may show a connect page in a frame, and that a browser may return to: `https://app.example.com`; `http` for localhost alone. */
                            frameOrigins?: string[];
                            /** @description Language of connect pages, as `de` or `pt-BR`. By default that of the browser. */
                            language?: string;
                            /** @description Your own texts, by language. */
                            messages?: {
                                [key: string]: {
                                    [key: string]: string;
                                };
                            };
                            /** @description Colors, corners and fonts. What is absent has its default. */
                            theme?: {
                                /** @description Buttons and links. A CSS color: `#1c6b50`, `rgb(…)`. */
                                accent?: string;
                                /** @description Text on buttons. A CSS color: `#1c6b50`, `rgb(…)`. */
                                accentText?: string;
                                /** @description Behind everything. A CSS color: `#1c6b50`, `rgb(…)`. */
                                background?: string;
                                /** @description Lines and outlines. A CSS color: `#1c6b50`, `rgb(…)`. */
                                border?: string;
                                /** @description Errors. A CSS color: `#1c6b50`, `rgb(…)`. */
                                danger?: string;
                                /** @description Other colors for dark pages. */
                                dark?: {
                                    /** @description Buttons and links. A CSS color: `#1c6b50`, `rgb(…)`. */
                                    accent?: string;
                                    /** @description Text on buttons. A CSS color: `#1c6b50`, `rgb(…)`. */
                                    accentText?: string;
                                    /** @description Behind everything. A CSS color: `#1c6b50`, `rgb(…)`. */
                                    background?: string;
                                    /** @description Lines and outlines. A CSS color: `#1c6b50`, `rgb(…)`. */
                                    border?: string;
                                    /** @description Errors. A CSS color: `#1c6b50`, `rgb(…)`. */
                                    danger?: string;
                                    /** @description Hints and secondary text. A CSS color: `#1c6b50`, `rgb(…)`. */
                                    mutedText?: string;
                                    /** @description Cards and fields. A CSS color: `#1c6b50`, `rgb(…)`. */
                                    surface?: string;
                                    /** @description Text. A CSS color: `#1c6b50`, `rgb(…)`. */
                                    text?: string;
                                };
                                /** @description Names of fonts, as in the CSS property `font-family`. */
                                font?: string;
                                /** @description Hints and secondary text. A CSS color: `#1c6b50`, `rgb(…)`. */
                                mutedText?: string;
                                /** @description Radius of corners: `0`, or a number with `px`, `rem` or `em`. */
                                radius?: string;
                                /** @description Cards and fields. A CSS color: `#1c6b50`, `rgb(…)`. */
                                surface?: string;
                                /** @description Text. A CSS color: `#1c6b50`, `rgb(…)`. */
                                text?: string;
                            };
                        };
                        /** @description Address of your logo: `https`. An empty text removes it. */
                        logoUrl?: string;
                        /** @description 2 to 128 letters, digits and dashes; stored in lower case. */
                        name?: string;
                    };
                    /** @description What to change: `appName`, `name`, `logoUrl`, `connect`, or a part of it: `connect.theme`, `connect.frameOrigins`, `connect.language`, `connect.messages`. What is listed is replaced as a whole. */
                    updateMask: string[];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["not-found.repeatable"];
            409: components["responses"]["project-name-taken_idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description Whether to list only keys that work. */
                active?: boolean;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["api-key-not-found_not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["unacceptable-input_too-many-keys_idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    getApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The key itself, or its id. */
                apiKey: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["api-key-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    deleteApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key itself, or its id. */
                apiKey: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["api-key-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    updateApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The key itself, or its id. */
                apiKey: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PatchApiKeyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["api-key-not-found_not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["unacceptable-input_idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    listProjectAuditEntries: {
        parameters: {
            query?: {
                /** @description Entries of this operationId alone. */
                action?: string;
                /** @description Entries of this actor alone. */
                actorId?: string;
                /** @description Entries before this time. */
                endTime?: string;
                /** @description Items of one page at most. Without it the list is whole. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
                /** @description Entries of this resource alone. */
                resourceId?: string;
                /** @description Entries of resources of this kind alone. */
                resourceKind?: string;
                /** @description Entries from this time on. */
                startTime?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntry"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    verifyProjectAuditLog: {
        parameters: {
            query?: {
                /** @description Where this part begins: `nextPageToken` of the part before it. */
                pageToken?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result of verifying a part of an audit log. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditVerification"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    streamChanges: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events; `data` is as JSON what is shown here. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        /** @description Your id of the group that it belongs to. */
                        groupRef?: string;
                        /** @description Id of the resource. Absent if several changed, and for operations, messages and provider events. */
                        id?: string;
                        /** @description The installation of an operation, a message or a provider event, if it is one. */
                        installationId?: string;
                        /**
                         * @description Kind of the resources that changed. `all`: anything may have changed. Sent when the stream begins, and after a gap.
                         * @enum {string}
                         */
                        kind: "installation" | "connection" | "integration" | "destination" | "provider-app" | "operation" | "message" | "provider-event" | "all";
                    };
                };
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["too-many-streams_rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    getConnectInfo: {
        parameters: {
            query?: {
                /** @description Your id of the person. Required with a key; tokens have it. */
                consumerRef?: string;
                /** @description Your id of the group. Required with a key; tokens have it. */
                groupRef?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All that the first view of a component needs. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectInfo"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    getConnectForm: {
        parameters: {
            query?: {
                /** @description The connection that gets a new credential. */
                connectionId?: string;
                /** @description Your id of the person. Required with a key; tokens have it. */
                consumerRef?: string;
                /** @description Your id of the group. Required with a key; tokens have it. */
                groupRef?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
                /** @description Name of the provider in the catalog. */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The fields that a customer fills in to connect an account. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectForm"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["provider-not-found_connection-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    connectProviderAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
                /** @description Name of the provider in the catalog. */
                provider: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConnectAccountRequest"];
            };
        };
        responses: {
            /** @description Either the connection, or where the browser has to go. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectAccountResponse"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["provider-not-found_connection-not-found_not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["credential-refused_provider-unreachable_idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    createConnectSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConnectSessionRequest"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectSessionWithUrl"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    getConnectSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the session. */
                connectSessionId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectSession"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["connect-session-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    listConnections: {
        parameters: {
            query?: {
                /** @description Only connections of this consumer. */
                consumerRef?: string;
                /** @description Only connections of this group. */
                groupRef?: string;
                /** @description Items of one page at most. Without it the list is whole. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
                /** @description Only connections to this provider. */
                provider?: string;
                /** @description Only connections of this status. */
                status?: "created" | "working" | "bad_credentials";
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connection"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    generateConnection: {
        parameters: {
            query?: {
                /** @description Extension: wait for the check of the credential. */
                verify?: boolean;
            };
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GenerateConnectionRequest"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connection"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["connection-not-found_not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            501: components["responses"]["credential-not-implemented.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    getConnection: {
        parameters: {
            query?: {
                /** @description With the API key, or the access token and its scopes. Needs an API key of scope `full`, or a person with the role `developer`. */
                includeCreds?: boolean;
                /** @description With the refresh token too; includes what `includeCreds` does. */
                includeRefreshToken?: boolean;
                /** @description With the times and scopes of the OAuth access token, without the token. */
                includeTokenInfo?: boolean;
                /** @description Whether to renew the access token first: `force` always, `ifExpired` when it has expired. If the provider refuses, the response is the connection with `bad_credentials`. People need the role `operator`. */
                refresh?: "force" | "ifExpired";
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the connection. */
                connectionId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connection"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["connection-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            503: components["responses"]["renewal-unavailable"];
            default: components["responses"]["problem"];
        };
    };
    deleteConnection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the connection. */
                connectionId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["connection-in-use_invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["connection-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    updateConnection: {
        parameters: {
            query?: {
                /** @description Extension: wait for the check of the credential. */
                verify?: boolean;
            };
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the connection. */
                connectionId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateConnectionRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connection"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["credential-needed_forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["connection-not-found_not-found.repeatable"];
            409: components["responses"]["connection-exists_idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    oauthUpdate: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the connection. */
                connectionId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The URL to open in its own window. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; charset=utf-8": string;
                };
            };
            400: components["responses"]["invalid-input.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["connection-not-found_not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    testConnection: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the connection. */
                connectionId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connection"];
                };
            };
            400: components["responses"]["invalid-input.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["connection-not-found_not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            422: components["responses"]["capability-not-implemented_idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    testProviderFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the connection. */
                connectionId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Module of the provider; its default one when absent. */
                    module?: string;
                    /** @description Name of the file: the provider’s, with `.yaml`. */
                    name: string;
                    /** @description Names of the objects to try; all when absent. */
                    objects?: string[];
                    /** @description The file. */
                    text: string;
                    /**
                     * @description Whether to send writes that the provider must refuse: the records that the file names in `refused`, and an update of a record that does not exist.
                     * @default false
                     */
                    writes?: boolean;
                };
            };
        };
        responses: {
            /** @description Results of testing a provider file. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderFileTest"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["connection-not-found_not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["capability-not-implemented_idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    listConsumers: {
        parameters: {
            query?: {
                /** @description Items of one page at most. Without it the list is whole. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
                /** @description Only those with this text in their ref or name, in any case. No character has a special meaning. */
                query?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Consumer"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    getConsumer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Your id of the consumer, percent-encoded. */
                consumerRef: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Consumer"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["consumer-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    deleteConsumer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Your id of the consumer, percent-encoded. */
                consumerRef: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["consumer-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    listCounts: {
        parameters: {
            query?: {
                /** @description The last interval ends at this time or contains it; now by default. */
                endTime?: string;
                /** @description Your id of a group. */
                groupRef?: string;
                /** @description Id of an installation. */
                installationId?: string;
                /** @description Id of an integration, or its name. */
                integrationId?: string;
                /** @description Length of an interval; `hour` by default. */
                interval?: "hour" | "day";
                /** @description The provider’s name of an object. */
                objectName?: string;
                /** @description The first interval contains this time. By default, the range is 24 hours, or 30 days if the interval is a day. */
                startTime?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CountSeries"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    listTopInstallations: {
        parameters: {
            query?: {
                /** @description The count to sort by; `failedReads` by default. */
                by?: "reads" | "failedReads" | "recordsRead" | "messagesPosted" | "deliveries" | "failedDeliveries" | "providerCalls" | "failedProviderCalls";
                /** @description The last interval ends at this time or contains it; now by default. */
                endTime?: string;
                /** @description Id of an integration, or its name. */
                integrationId?: string;
                /** @description Precision of the range; `hour` by default. */
                interval?: "hour" | "day";
                /** @description Installations at most; 20 by default. */
                limit?: number;
                /** @description The first interval contains this time. By default, the range is 24 hours, or 30 days if the interval is a day. */
                startTime?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TopInstallation"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    listDestinations: {
        parameters: {
            query?: {
                /** @description Items of one page at most. Without it the list is whole. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Destination"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    createDestination: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewDestination"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Destination"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["destination-name-taken_idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    getDestination: {
        parameters: {
            query?: {
                /** @description Also returns the signing secret, and the URL and the headers whole. People need the role `developer`. */
                includeSecrets?: boolean;
                /** @description Makes a new signing secret, for existing clients of the interface. People need the role `developer`. Deprecated: send `POST …:rotateSecret`. A `HEAD` or a prefetch rotates nothing. */
                rotate?: boolean;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the destination, or its name. */
                destination: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DestinationWithSecrets"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["destination-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    deleteDestination: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the destination, or its name. */
                destination: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["destination-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    updateDestination: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the destination, or its name. */
                destination: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DestinationUpdate"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Destination"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["destination-not-found_not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["destination-name-taken_idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    disableDestination: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the destination, or its name. */
                destination: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Shown as `disabledReason`. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Destination"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["destination-not-found_not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    enableDestination: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the destination, or its name. */
                destination: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Destination"];
                };
            };
            400: components["responses"]["invalid-input.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["destination-not-found_not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    rotateDestinationSecret: {
        parameters: {
            query?: {
                /** @description Also returns the signing secret, and the URL and the headers whole. */
                includeSecrets?: boolean;
            };
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the destination, or its name. */
                destination: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DestinationWithSecrets"];
                };
            };
            400: components["responses"]["invalid-input.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["destination-not-found_not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    testDestination: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the destination, or its name. */
                destination: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DestinationTest"];
                };
            };
            400: components["responses"]["invalid-input.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["destination-not-found_not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    listGroups: {
        parameters: {
            query?: {
                /** @description Items of one page at most. Without it the list is whole. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
                /** @description Only those with this text in their ref or name, in any case. No character has a special meaning. */
                query?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    getGroup: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Your id of the group, percent-encoded. */
                groupRef: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["group-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    deleteGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Your id of the group, percent-encoded. */
                groupRef: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["group-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    listInstallationsForProject: {
        parameters: {
            query?: {
                /** @description Only installations on this connection. */
                connectionId?: string;
                /** @description Only installations of this group. */
                groupRef?: string;
                /** @description Only installations that work, or that do not. */
                healthStatus?: "healthy" | "unhealthy";
                /** @description With the OAuth scopes that each installation needs and its account did not grant. */
                includeMissingScopes?: boolean;
                /** @description Only installations of this integration, by id or name. */
                integrationId?: string;
                /** @description Items of one page at most. Without it the list is whole. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Installation"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    listFailingInstallations: {
        parameters: {
            query?: {
                /** @description Your id of a group. */
                groupRef?: string;
                /** @description Id of an integration, or its name. */
                integrationId?: string;
                /** @description Results of one page at most; 100 when absent. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
                /** @description `bad_credentials`: the provider refuses the credential. `backfill_failed`: a backfill could not end. `reads_paused`: reads are paused after repeated failures. `subscription_failed`: the subscription at the provider could not be set up. `reads_failing`: the last reads failed and are tried again; the installation is still healthy. */
                reason?: "bad_credentials" | "backfill_failed" | "reads_paused" | "subscription_failed" | "reads_failing";
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of reasons why installations fail. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FailingInstallationPage"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    listIntegrations: {
        parameters: {
            query?: {
                /** @description Items of one page at most. Without it the list is whole. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    createIntegration: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Its first revision. */
                    latestRevision: {
                        /** @description The integration as a manifest defines it; its `name` and `provider` may be left out and are the same otherwise. */
                        content: {
                            [key: string]: unknown;
                        };
                        /** @description Version of the manifest format, such as `1.0.0`. */
                        specVersion: string;
                    };
                    /** @description Name, unique in the project. */
                    name: string;
                    /** @description Key of the provider in the catalog. */
                    provider: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["unacceptable-input_manifest-too-costly_idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            503: components["responses"]["deploy-queue-full.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    batchUpsertIntegrations: {
        parameters: {
            query?: {
                /** @description Whether destructive actions are performed, such as pausing all reads of an object that was removed. */
                destructive?: boolean;
                /** @description Extension: whether advice about what cannot work counts as an error. */
                strict?: boolean;
            };
            header?: never;
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IntegrationsSource"];
            };
        };
        responses: {
            /** @description The integrations of the manifest, in its order. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"][];
                };
            };
            400: components["responses"]["malformed-body"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            413: components["responses"]["body-too-large"];
            415: components["responses"]["unsupported-media-type"];
            422: components["responses"]["unacceptable-input_manifest-too-costly"];
            429: components["responses"]["rate-limited"];
            503: components["responses"]["deploy-queue-full"];
            default: components["responses"]["problem"];
        };
    };
    validateManifest: {
        parameters: {
            query?: {
                /** @description Extension: whether advice about what cannot work counts as an error. */
                strict?: boolean;
            };
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IntegrationsSource"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description In the order of the text, at most 100. */
                        findings: components["schemas"]["ManifestFinding"][];
                        /** @description Whether a deploy would be accepted: no finding is an error. */
                        valid: boolean;
                    };
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["unacceptable-input_manifest-too-costly_idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            503: components["responses"]["deploy-queue-full.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    previewRecords: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreviewRequest"];
            };
        };
        responses: {
            /** @description The first records of an object, as messages would contain them. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preview"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["integration-not-found_object-not-found_not-found"];
            413: components["responses"]["body-too-large"];
            415: components["responses"]["unsupported-media-type"];
            422: components["responses"]["unacceptable-input_capability-not-implemented_provider-credentials-refused_provider-refused_provider-address-unusable"];
            429: components["responses"]["provider-rate-limited_rate-limited"];
            502: components["responses"]["provider-unavailable_provider-answer-unexpected"];
            default: components["responses"]["problem"];
        };
    };
    listInstallations: {
        parameters: {
            query?: {
                /** @description Only installations of this group. */
                groupRef?: string;
                /** @description Items of one page at most. Without it the list is whole. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Installation"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["integration-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    createInstallation: {
        parameters: {
            query?: {
                /** @description Do not read one record of each scheduled object to try the config before it is saved. */
                skipSampling?: boolean;
            };
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What the customer chose. */
                    config: {
                        content: components["schemas"]["ConfigContent"];
                        /** @description Who created the config. By default `builder:{id}` of the caller. */
                        createdBy?: string;
                        /** @description Deprecated and ignored. */
                        revisionId?: string;
                    };
                    /** @description The connection to use; the newest one of the group to the provider when absent. */
                    connectionId?: string;
                    /** @description The group to install for. */
                    groupRef: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Installation"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["integration-not-found_not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["unacceptable-input_capability-not-implemented_sample-read-failed_idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    getInstallation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the installation. */
                installationId: string;
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Installation"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["integration-not-found_installation-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    deleteInstallation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the installation. */
                installationId: string;
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["integration-not-found_installation-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    updateInstallation: {
        parameters: {
            query?: {
                /** @description Do not read one record of each scheduled object to try the config before it is saved. */
                skipSampling?: boolean;
            };
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the installation. */
                installationId: string;
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The new values of the paths in `updateMask`. */
                    installation: {
                        /** @description What the customer chose. */
                        config?: {
                            content?: components["schemas"]["PartialConfigContent"];
                            /** @description Who created the config. By default `builder:{id}` of the caller. */
                            createdBy?: string;
                            /** @description Deprecated and ignored. */
                            revisionId?: string;
                        };
                        /** @description Another connection of the group. */
                        connectionId?: string;
                    };
                    /** @description Dotted paths into `installation`. Each value is replaced; nothing else changes. */
                    updateMask: string[];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Installation"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["integration-not-found_installation-not-found_not-found.repeatable"];
            409: components["responses"]["installation-busy_idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["unacceptable-input_capability-not-implemented_sample-read-failed_idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    listConfigs: {
        parameters: {
            query?: {
                /** @description Items of one page at most. Without it the list is whole. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the installation. */
                installationId: string;
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfigVersion"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["integration-not-found_installation-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    getBackfillProgress: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the installation. */
                installationId: string;
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Name of the object in the manifest, percent-encoded. */
                objectName: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackfillProgress"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["installation-not-found_no-backfill_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    listOperations: {
        parameters: {
            query?: {
                /** @description Operations of one page at most; 200 when absent. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the installation. */
                installationId: string;
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationPage"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["operation-installation-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    listReadSchedules: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the installation. */
                installationId: string;
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By the name of the object. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadSchedule"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["installation-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    listSchemaChanges: {
        parameters: {
            query?: {
                /** @description Only of this object, by the provider’s name. */
                objectName?: string;
                /** @description Items of one page at most. Without it the list is whole. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the installation. */
                installationId: string;
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SchemaChange"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["installation-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    listSchemaWatches: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the installation. */
                installationId: string;
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By the name of the object. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SchemaWatch"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["installation-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    getInstallationStatus: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the installation. */
                installationId: string;
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether an installation works, and how far its reads are. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstallationStatus"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["integration-not-found_installation-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    getInstallationWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the installation. */
                installationId: string;
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook that a customer sets up at the provider, for one installation. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstallationWebhook"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["integration-not-found_installation-not-found_no-webhook-set-up_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    setWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the installation. */
                installationId: string;
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Whether former secrets end now, for example because others know them. Default: false. */
                    endPrevious?: boolean;
                    /** @description The secret, as the provider shows it. White space around it is removed. */
                    secret: string;
                };
            };
        };
        responses: {
            /** @description The webhook that a customer sets up at the provider, for one installation. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstallationWebhook"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["integration-not-found_installation-not-found_no-webhook-set-up_not-found"];
            413: components["responses"]["body-too-large"];
            415: components["responses"]["unsupported-media-type"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    upsertMetadataForInstallation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpsertMetadataRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpsertMetadataResponse"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["integration-not-found_installation-not-found_object-not-found_not-found"];
            413: components["responses"]["body-too-large"];
            415: components["responses"]["unsupported-media-type"];
            422: components["responses"]["capability-not-implemented_provider-credentials-refused_provider-refused_provider-address-unusable"];
            429: components["responses"]["provider-rate-limited_rate-limited"];
            502: components["responses"]["provider-unavailable_provider-answer-unexpected"];
            default: components["responses"]["problem"];
        };
    };
    patchObjectConfigContent: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Name of the object in the manifest, percent-encoded. */
                objectName: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The action that the object is configured for.
                     * @enum {string}
                     */
                    action: "read" | "write" | "subscribe";
                    /** @description Applied in this order. */
                    changes: {
                        /** @description `add`, `replace` or `remove` (RFC 6902). */
                        op: string;
                        /** @description JSON Pointer (RFC 6901) into the object’s config, such as `/schedule` or `/selectedFields/name`. */
                        path: string;
                        /** @description For `add` and `replace`. */
                        value?: unknown;
                    }[];
                    /** @description The group; of several installations the newest is changed. */
                    groupRef?: string;
                    /** @description The installation, instead of a group. */
                    installationId?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Installation"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["integration-not-found_installation-not-found_not-found.repeatable"];
            409: components["responses"]["installation-busy_idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["capability-not-implemented_sample-read-failed_idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    getObjectMetadataForInstallation: {
        parameters: {
            query: {
                /** @description Without the fields that cannot be written. */
                excludeReadOnly?: boolean;
                /** @description The group whose account to use. */
                groupRef: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Name of the object in the manifest, percent-encoded. */
                objectName: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ObjectMetadata"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["integration-not-found_installation-not-found_object-not-found_not-found"];
            422: components["responses"]["capability-not-implemented_provider-credentials-refused_provider-refused_provider-address-unusable"];
            429: components["responses"]["provider-rate-limited_rate-limited"];
            502: components["responses"]["provider-unavailable_provider-answer-unexpected"];
            default: components["responses"]["problem"];
        };
    };
    listRevisions: {
        parameters: {
            query?: {
                /** @description Items of one page at most. Without it the list is whole. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Revision"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["integration-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    createRevision: {
        parameters: {
            query?: {
                /** @description Whether destructive actions are performed, such as pausing all reads of an object that was removed. */
                destructive?: boolean;
                /** @description Extension: whether advice about what cannot work counts as an error. */
                strict?: boolean;
            };
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IntegrationsSource"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["integration-not-found_not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["unacceptable-input_manifest-too-costly_idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            503: components["responses"]["deploy-queue-full.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    getHydratedRevision: {
        parameters: {
            query: {
                /** @description The connection to use. */
                connectionId: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
                /** @description Id of the revision. */
                revisionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HydratedRevision"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["integration-not-found_revision-not-found_connection-not-found_object-not-found_not-found"];
            422: components["responses"]["capability-not-implemented_provider-credentials-refused_provider-refused_provider-address-unusable"];
            429: components["responses"]["provider-rate-limited_rate-limited"];
            502: components["responses"]["provider-unavailable_provider-answer-unexpected"];
            default: components["responses"]["problem"];
        };
    };
    getIntegration: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the integration, or its name. */
                integrationIdOrName: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["integration-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    deleteIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the integration, or its name. */
                integrationIdOrName: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["integration-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    listJWTKeys: {
        parameters: {
            query?: {
                /** @description Whether to list only keys that work. */
                active?: boolean;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JWTKey"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    createJWTKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateJWTKeyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Id of the key: the `kid` in the header of tokens. */
                        kid: string;
                    };
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["too-many-keys_idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    getJWTKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the JWT key (`kid`). */
                keyId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JWTKey"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["jwt-key-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    deleteJWTKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the JWT key (`kid`). */
                keyId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["jwt-key-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    updateJWTKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the JWT key (`kid`). */
                keyId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateJWTKeyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JWTKey"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["jwt-key-not-found_not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["unacceptable-input_idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    streamLogs: {
        parameters: {
            query?: {
                /** @description Returns only lines of this installation. */
                installationId?: string;
                /** @description Lines of this severity and graver. A line for each page of a read has the severity `DEBUG`. */
                severity?: "DEBUG" | "INFO" | "WARNING" | "ERROR";
            };
            header?: never;
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events; `data` is as JSON what is shown here. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        /** @description Id of the line. */
                        id: string;
                        /** @description Id of the installation. */
                        installationId: string;
                        /** @description What happened. */
                        message: {
                            /** @description Facts about it. */
                            details?: {
                                [key: string]: string;
                            };
                            /** @description What went wrong. */
                            error?: string;
                            /** @description What happened. */
                            msg: string;
                            /** @description Id of the operation. */
                            operation_id?: string;
                        } & {
                            [key: string]: unknown;
                        };
                        /** @description Id of the operation. */
                        operationId: string;
                        /** @description Name of the object. */
                        resource?: string;
                        /**
                         * @description How grave it is.
                         * @enum {string}
                         */
                        severity: "DEBUG" | "INFO" | "WARNING" | "ERROR";
                        /**
                         * Format: date-time
                         * @description When it happened.
                         */
                        timestamp: string;
                    };
                };
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["operation-installation-not-found_not-found"];
            429: components["responses"]["too-many-streams_rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    getMessageReplay: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
                /** @description Id of the replay. */
                replayId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageReplay"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["replay-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    listMessages: {
        parameters: {
            query?: {
                /** @description Posted at this time or later. */
                createdAfter?: string;
                /** @description Posted before this time. */
                createdBefore?: string;
                /** @description Id or name of a destination. For a name without a destination: the messages that wait for it. */
                destination?: string;
                /** @description The event of the notifications. */
                eventType?: string;
                /** @description Your id of the group that they come from. */
                groupRef?: string;
                /** @description Id of the installation that they come from. */
                installationId?: string;
                /** @description What the messages bring. */
                kind?: "read" | "subscribe" | "schema.watch" | "notification";
                /** @description Id of the operation that made them. */
                operationId?: string;
                /** @description Items of one page at most; 100 when absent. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
                /** @description State of the messages. */
                state?: "pending" | "delivered" | "failed" | "discarded";
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    replayMessages: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewMessageReplay"];
            };
        };
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageReplay"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    streamMessages: {
        parameters: {
            query?: {
                /** @description Id or name. Returns only messages to this destination. */
                destination?: string;
                /** @description `message` events have `body`. */
                includePayload?: boolean;
                /** @description `message` events have `body` and `headers`, as an attempt would send them now. You can forward them to an endpoint that verifies them. */
                signed?: boolean;
            };
            header?: never;
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events; `data` is as JSON what is shown here. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        /** @description Attempts that have ended. */
                        attempts: number;
                        /** @description With `includePayload`: the exact text of the body. */
                        body?: string;
                        /** @description Size of the body. */
                        bytes: number;
                        /**
                         * Format: date-time
                         * @description When it was created.
                         */
                        createTime: string;
                        /** @description Id of the destination; absent while none of its name exists. */
                        destinationId?: string;
                        /** @description Name of the destination that it was posted to. */
                        destinationName: string;
                        /**
                         * Format: date-time
                         * @description When it was delivered or failed.
                         */
                        endTime?: string;
                        /** @description For a notification: its event. */
                        eventType?: string;
                        /** @description Your id of the group. Absent once the installation is deleted. */
                        groupRef?: string;
                        /** @description With `signed`: the headers that an attempt would send now: the signature and those of the destination. Absent while the message has no destination. */
                        headers?: {
                            [key: string]: string;
                        };
                        /** @description Id of the message: `webhook-id` of every attempt. */
                        id: string;
                        /** @description Id of its installation. */
                        installationId?: string;
                        /** @description Id of the integration. Absent once the installation is deleted. */
                        integrationId?: string;
                        /**
                         * @description What it brings.
                         * @enum {string}
                         */
                        kind: "read" | "subscribe" | "schema.watch" | "notification";
                        /**
                         * Format: date-time
                         * @description For a pending message that is not being sent: when it is sent next, unless its destination queues it.
                         */
                        nextAttemptTime?: string;
                        /** @description Id of the operation that created it. */
                        operationId?: string;
                        /**
                         * @description `pending` until it was delivered, or has failed after its last attempt.
                         * @enum {string}
                         */
                        state: "pending" | "delivered" | "failed" | "discarded";
                    };
                };
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["destination-not-found_not-found"];
            429: components["responses"]["too-many-streams_rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    getMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the message. */
                messageId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageWithPayload"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["message-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    listMessageAttempts: {
        parameters: {
            query?: {
                /** @description Items of one page at most. Without it the list is whole. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the message. */
                messageId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageAttempt"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["message-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    listEventTopicRoutes: {
        parameters: {
            query?: {
                /** @description What happened. */
                eventType?: components["schemas"]["NotificationEventType"];
                /** @description Items of one page at most. Without it the list is whole. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
                /** @description Only routes to this topic. */
                topicId?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationEventTopicRoute"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    createEventTopicRoute: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewEventTopicRoute"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationEventTopicRoute"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["not-found.repeatable"];
            409: components["responses"]["route-exists_idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["unacceptable-input_idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    deleteEventTopicRoute: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
                /** @description Id of the route. */
                routeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["route-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    searchOperations: {
        parameters: {
            query?: {
                /** @description What the operations do. */
                actionType?: "read" | "write" | "subscribe" | "proxy";
                /** @description Began at this time or later. */
                createdAfter?: string;
                /** @description Began before this time. */
                createdBefore?: string;
                /** @description Your id of a group. */
                groupRef?: string;
                /** @description Id of an installation. */
                installationId?: string;
                /** @description Id of an integration, or its name. */
                integrationId?: string;
                /** @description The provider’s name of an object. */
                objectName?: string;
                /** @description Operations of one page at most; 100 when absent. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
                /** @description What started a read. Absent for other operations, and for those of earlier releases. */
                readType?: "backfill" | "scheduled" | "triggered";
                /** @description Status of the operations. */
                status?: "in_progress" | "success" | "failure";
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundOperationPage"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    getOperation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the operation. */
                operationId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["operation-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    listOperationLogs: {
        parameters: {
            query?: {
                /** @description Lines of this severity and graver. A line for each page of a read has the severity `DEBUG`. */
                severity?: "DEBUG" | "INFO" | "WARNING" | "ERROR";
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the operation. */
                operationId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Log"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["operation-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    streamOperationLogs: {
        parameters: {
            query?: {
                /** @description Lines of this severity and graver. A line for each page of a read has the severity `DEBUG`. */
                severity?: "DEBUG" | "INFO" | "WARNING" | "ERROR";
            };
            header?: never;
            path: {
                /** @description Id of the operation. */
                operationId: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events; `data` is as JSON what is shown here. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        /** @description Id of the line. */
                        id: string;
                        /** @description Id of the installation. */
                        installationId: string;
                        /** @description What happened. */
                        message: {
                            /** @description Facts about it. */
                            details?: {
                                [key: string]: string;
                            };
                            /** @description What went wrong. */
                            error?: string;
                            /** @description What happened. */
                            msg: string;
                            /** @description Id of the operation. */
                            operation_id?: string;
                        } & {
                            [key: string]: unknown;
                        };
                        /** @description Id of the operation. */
                        operationId: string;
                        /** @description Name of the object. */
                        resource?: string;
                        /**
                         * @description How grave it is.
                         * @enum {string}
                         */
                        severity: "DEBUG" | "INFO" | "WARNING" | "ERROR";
                        /**
                         * Format: date-time
                         * @description When it happened.
                         */
                        timestamp: string;
                    };
                };
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["operation-not-found_not-found"];
            429: components["responses"]["too-many-streams_rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    getOverview: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of a project at a glance. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    listProviderApps: {
        parameters: {
            query?: {
                /** @description Items of one page at most. Without it the list is whole. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderApp"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    createProviderApp: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewProviderApp"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderApp"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["unacceptable-input_idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    deleteProviderApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
                /** @description Id of the provider app. */
                providerAppId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["provider-app-not-found_not-found"];
            422: components["responses"]["provider-app-in-use"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    updateProviderApp: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
                /** @description Id of the provider app. */
                providerAppId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateProviderAppRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderApp"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["provider-app-not-found_not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    listProviderEvents: {
        parameters: {
            query?: {
                /** @description Entries before this time. */
                endTime?: string;
                /** @description Id of an installation. Events of all accounts of an app have none. */
                installationId?: string;
                /** @description Id of an integration, or its name. */
                integrationId?: string;
                /** @description What became of the request. */
                outcome?: "accepted" | "handshake" | "duplicate" | "unverified" | "unknown" | "malformed" | "busy" | "failed" | "dropped";
                /** @description Entries of one page at most; 50 when absent. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
                /** @description Name of a provider. */
                provider?: string;
                /** @description Entries from this time on. */
                startTime?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderEventPage"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    listProviderFileFaults: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Errors of provider files. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderFileFaults"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    upsertMetadataForConnection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
                /** @description Name of the provider in the catalog. */
                provider: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpsertMetadataRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpsertMetadataResponse"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["connection-not-found_object-not-found_not-found"];
            413: components["responses"]["body-too-large"];
            415: components["responses"]["unsupported-media-type"];
            422: components["responses"]["capability-not-implemented_provider-credentials-refused_provider-refused_provider-address-unusable"];
            429: components["responses"]["provider-rate-limited_rate-limited"];
            502: components["responses"]["provider-unavailable_provider-answer-unexpected"];
            default: components["responses"]["problem"];
        };
    };
    getObjectMetadataForConnection: {
        parameters: {
            query: {
                /** @description Without the fields that cannot be written. */
                excludeReadOnly?: boolean;
                /** @description The group whose account to use. */
                groupRef: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Name of the object in the manifest, percent-encoded. */
                objectName: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
                /** @description Name of the provider in the catalog. */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ObjectMetadata"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["connection-not-found_object-not-found_not-found"];
            422: components["responses"]["capability-not-implemented_provider-credentials-refused_provider-refused_provider-address-unusable"];
            429: components["responses"]["provider-rate-limited_rate-limited"];
            502: components["responses"]["provider-unavailable_provider-answer-unexpected"];
            default: components["responses"]["problem"];
        };
    };
    searchProject: {
        parameters: {
            query: {
                /** @description An id, or a part of a name. No character has a special meaning. */
                query: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a search found. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchResults"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    listTimeline: {
        parameters: {
            query?: {
                /** @description Id of a connection. Its installations are included. */
                connectionId?: string;
                /** @description Entries before this time. */
                endTime?: string;
                /** @description Your id of a group: its installations and connections, also those that were deleted. */
                groupRef?: string;
                /** @description Id of an installation. Its connection is included. */
                installationId?: string;
                /** @description A kind of entries, or the part before the point. */
                kind?: "connection" | "installation" | "reads" | "subscription" | "schema" | "operation" | "connection.created" | "connection.updated" | "connection.status" | "connection.deleted" | "installation.created" | "installation.config" | "installation.connection" | "installation.health" | "installation.deleted" | "reads.paused" | "reads.resumed" | "subscription.failed" | "subscription.recovered" | "schema.changed" | "operation.read" | "operation.write" | "operation.subscribe" | "operation.proxy" | "audit";
                /** @description Entries of one page at most; 50 when absent. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
                /** @description Entries from this time on. */
                startTime?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TimelinePage"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    listTopicDestinationRoutes: {
        parameters: {
            query?: {
                /** @description Only routes to this destination. */
                destinationId?: string;
                /** @description Items of one page at most. Without it the list is whole. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
                /** @description Only routes of this topic. */
                topicId?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TopicDestinationRoute"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    createTopicDestinationRoute: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTopicDestinationRoute"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TopicDestinationRoute"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["topic-not-found_destination-not-found_not-found.repeatable"];
            409: components["responses"]["route-exists_idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    deleteTopicDestinationRoute: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
                /** @description Id of the route. */
                routeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["route-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    listTopics: {
        parameters: {
            query?: {
                /** @description Items of one page at most. Without it the list is whole. */
                pageSize?: number;
                /** @description Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters. */
                pageToken?: string;
            };
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Next-Page-Token": components["headers"]["X-Next-Page-Token"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Topic"][];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    createTopic: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TopicInput"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Topic"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["not-found.repeatable"];
            409: components["responses"]["topic-name-taken_idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    deleteTopic: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
                /** @description Id of the topic. */
                topicId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden_second-factor-missing"];
            404: components["responses"]["topic-not-found_not-found"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    updateTopic: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
                /** @description Id of the topic. */
                topicId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TopicInput"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Topic"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.repeatable"];
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["topic-not-found_not-found.repeatable"];
            409: components["responses"]["topic-name-taken_idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            422: components["responses"]["idempotency-key-reused.repeatable"];
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
    listProviders: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List all providers, by name. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogType"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    getProvider: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the caller has; the answer is 304 without a body while it is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Name of the provider in the catalog. */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderInfo"];
                };
            };
            /** @description Still the same as what If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input.public"];
            404: components["responses"]["provider-not-found.public"];
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A code of the authenticator app, or a recovery code. Ignored for an account without a second factor. */
                    code?: string;
                    /** @description The email of the builder, in any case. */
                    email: string;
                    /** @description The password. */
                    password: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionTokens"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.public"];
            401: components["responses"]["sign-in-refused_second-factor-required_second-factor-refused.public"];
            413: components["responses"]["body-too-large.public"];
            415: components["responses"]["unsupported-media-type.public"];
            429: components["responses"]["too-many-attempts_rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    exchangeSignInCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The code from the redirect. */
                    code: string;
                    /** @description The verifier, 43 to 128 unreserved characters. */
                    verifier: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionTokens"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.public"];
            401: components["responses"]["sign-in-code-refused.public"];
            413: components["responses"]["body-too-large.public"];
            415: components["responses"]["unsupported-media-type.public"];
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    refreshSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The refresh token of the last answer. */
                    refreshToken: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionTokens"];
                };
            };
            400: components["responses"]["invalid-input_malformed-body.public"];
            401: components["responses"]["session-ended.public"];
            413: components["responses"]["body-too-large.public"];
            415: components["responses"]["unsupported-media-type.public"];
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate-limited"];
            default: components["responses"]["problem"];
        };
    };
    putUpload: {
        parameters: {
            query: {
                /** @description Part of the signed URL. */
                claims: string;
                /** @description Part of the signed URL. */
                expires: string;
                /** @description Part of the signed URL. */
                signature: string;
            };
            header?: never;
            path: {
                /** @description Id of the upload, from the signed URL. */
                uploadId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-input.public"];
            403: components["responses"]["upload-url-invalid.public"];
            404: components["responses"]["upload-gone.public"];
            413: components["responses"]["body-too-large.public"];
            429: components["responses"]["rate-limited.public"];
            default: components["responses"]["problem.public"];
        };
    };
    writeRecords: {
        parameters: {
            query?: {
                /** @description Whether to refuse a record with a field that the provider file does not send. Otherwise `warnings` name the field. */
                strict?: boolean;
            };
            header?: {
                /** @description A repeated request with the same key within 24 hours returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the integration, or its name. */
                integrationId: string;
                /** @description Name of the object in the manifest, percent-encoded. */
                objectName: string;
                /** @description Id of the project, or its name in any case. */
                projectIdOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WriteRequest"];
            };
        };
        responses: {
            /** @description Result of a write: `result` for a single record, counts and `results` for a batch. For an asynchronous write, only the operation. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WriteResponse"];
                };
            };
            /** @description What is wrong: in plain text, or as a problem where `Accept` prefers JSON. */
            400: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/plain": string;
                };
            };
            401: components["responses"]["unauthenticated.repeatable"];
            403: components["responses"]["forbidden_second-factor-missing.repeatable"];
            404: components["responses"]["integration-not-found_not-found.repeatable"];
            409: components["responses"]["idempotency-key-in-use_idempotency-key-unfinished.repeatable"];
            413: components["responses"]["body-too-large.repeatable"];
            415: components["responses"]["unsupported-media-type.repeatable"];
            /** @description Result of a write: `result` for a single record, counts and `results` for a batch. For an asynchronous write, only the operation. */
            422: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WriteResponse"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["rate-limited.repeatable"];
            default: components["responses"]["problem.repeatable"];
        };
    };
}
