// second.js: a second corpus, written by whoever had not seen the first nor the rules. Cases that are still missed stay in it.
'use strict';

let seed = 20261123;
function rnd(n) {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 8) % n;
}
const SETS = { d: '0123456789', h: '0123456789abcdef', u: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', U: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789', l: 'abcdefghijklmnopqrstuvwxyz0123456789',
  a: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789', w: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-', b: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/' };

// So many characters of a set.
function R(set, n) {
    let s = '';
    for (let i = 0; i < n; i++)
        s += SETS[set][rnd(SETS[set].length)];
    return s;
}

// Neither begins nor ends with a sign, and has a digit.
function rw(n) { return R('a', 1) + R('w', n - 3) + R('d', 1) + R('a', 1); }
const all = [];
function add(group, text, ...secrets) { all.push({ group, text, secrets }); }
const pw = () => ['Tr0ub4dor&3x', 'hunter2hunter2', 'c0rrect-h0rse', 'P@ssw0rd!2024', 'xK9#mQ2$vL7', 'gT5%nB8^kW', 'zebra.9.Quartz', 'S3cr3t_V4lue', 'bl4ck=b0x', 'Qw3rty/uiop'][rnd(10)];
const word = () => ['correcthorse', 'Wintermorgen', 'geheimnis', 'sunflower', 'Opensesame'][rnd(5)];
const simple = () => R('a', 4) + R('d', 2) + R('a', 8);

// ---- vendor shapes
const V = {
    'github': () => 'ghp_' + R('a', 36),
    'github oauth': () => 'gho_' + R('a', 36),
    'github app': () => 'ghs_' + R('a', 36),
    'github refresh': () => 'ghr_' + R('a', 76),
    'github fine': () => 'github_pat_' + R('a', 22) + '_' + R('a', 59),
    'github user': () => 'ghu_' + R('a', 36),
    'gitlab pat': () => 'glpat-' + rw(20),
    'gitlab pat routable': () => 'glpat-' + rw(27) + '.01.' + R('l', 9),
    'gitlab deploy': () => 'gldt-' + rw(20),
    'gitlab runner': () => 'glrt-' + rw(20),
    'gitlab ci': () => 'glcbt-64_' + rw(20),
    'gitlab trigger': () => 'glptt-' + R('h', 40),
    'gitlab feed': () => 'glft-' + rw(20),
    'gitlab scim': () => 'glsoat-' + rw(20),
    'gitlab mail': () => 'glimt-' + R('l', 25),
    'gitlab agent': () => 'glagent-' + rw(50),
    'gitlab ff': () => 'glffct-' + rw(20),
    'gitlab session': () => '_gitlab_session=' + R('h', 32),
    'aws id': () => 'AKIA' + R('U', 15) + '7',
    'aws sts': () => 'ASIA' + R('U', 15) + '3',
    'aws bedrock': () => 'ABSK' + R('b', 108) + 'Aa1=',
    'anthropic': () => 'sk-ant-api03-' + rw(93) + 'AA',
    'anthropic admin': () => 'sk-ant-admin01-' + rw(93) + 'AA',
    'openai': () => 'sk-' + R('a', 20) + 'T3BlbkFJ' + R('a', 20),
    'openai proj': () => 'sk-proj-' + rw(74) + 'T3BlbkFJ' + rw(74),
    'openai svc': () => 'sk-svcacct-' + rw(60),
    'openrouter': () => 'sk-or-v1-' + R('h', 64),
    'groq': () => 'gsk_' + R('a', 52),
    'replicate': () => 'r8_' + R('a', 37),
    'hf': () => 'hf_' + R('a', 34),
    'hf org': () => 'api_org_' + R('a', 34),
    'perplexity': () => 'pplx-' + R('a', 48),
    'xai': () => 'xai-' + R('a', 80),
    'deepseek': () => 'sk-' + R('h', 32),
    'nvidia': () => 'nvapi-' + rw(64),
    'pinecone': () => 'pcsk_' + R('a', 6) + '_' + R('a', 63),
    'langsmith': () => 'lsv2_pt_' + R('h', 32) + '_' + R('h', 10),
    'langfuse': () => 'sk-lf-' + R('h', 8) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 12),
    'fireworks': () => 'fw_' + R('a', 24),
    'cerebras': () => 'csk-' + R('l', 48),
    'tavily': () => 'tvly-' + R('a', 32),
    'tavily dev': () => 'tvly-dev-' + R('a', 32),
    'exa-firecrawl': () => 'fc-' + R('h', 32),
    'elevenlabs': () => 'sk_' + R('h', 48),
    'voyage': () => 'pa-' + rw(43),
    'jina': () => 'jina_' + R('h', 32) + R('a', 28),
    'wandb': () => 'wandb_v1_' + R('a', 77),
    'e2b': () => 'e2b_' + R('h', 40),
    'apify': () => 'apify_api_' + R('a', 36),
    'google api': () => 'AIza' + rw(35),
    'google oauth': () => 'ya29.' + R('a', 20) + '.' + rw(100),
    'google secret': () => 'GOCSPX-' + rw(28),
    'google refresh': () => '1//0' + R('d', 1) + rw(60),
    'google sa id': () => '"private_key_id": "' + R('h', 40) + '"',
    'slack bot': () => 'xoxb-' + R('d', 12) + '-' + R('d', 13) + '-' + R('a', 24),
    'slack user': () => 'xoxp-' + R('d', 12) + '-' + R('d', 12) + '-' + R('d', 13) + '-' + R('h', 32),
    'slack app': () => 'xapp-1-A' + R('U', 10) + '-' + R('d', 13) + '-' + R('h', 64),
    'slack cfg': () => 'xoxe.xoxp-1-' + R('a', 160),
    'slack d': () => 'xoxd-' + R('a', 60) + '%2B' + R('a', 40),
    'slack c': () => 'xoxc-' + R('d', 12) + '-' + R('d', 12) + '-' + R('d', 13) + '-' + R('h', 64),
    'slack hook': () => 'https://hooks.slack.com/services/T' + R('U', 9) + '/B' + R('U', 9) + '/' + R('a', 24),
    'slack wf': () => 'https://hooks.slack.com/workflows/T' + R('U', 9) + '/A' + R('U', 9) + '/' + R('d', 18) + '/' + R('a', 24),
    'discord': () => 'MTk4' + R('a', 20) + '.' + R('a', 6) + '.' + rw(27),
    'discord hook': () => 'https://discord.com/api/webhooks/' + R('d', 18) + '/' + rw(68),
    'discord hook old': () => 'https://discordapp.com/api/webhooks/' + R('d', 18) + '/' + rw(68),
    'telegram': () => R('d', 10) + ':AA' + rw(33),
    'teams hook': () => 'https://acme.webhook.office.com/webhookb2/' + R('h', 8) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 12) + '@' + R('h', 8) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 12) + '/IncomingWebhook/' + R('h', 32) + '/' + R('h', 8) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 12),
    'stripe live': () => 'sk_live_' + R('a', 24),
    'stripe long': () => 'sk_live_51' + R('a', 97),
    'stripe test': () => 'sk_test_' + R('a', 24),
    'stripe restricted': () => 'rk_live_' + R('a', 24),
    'stripe hook': () => 'whsec_' + R('a', 32),
    'square': () => 'EAAA' + rw(60),
    'square old': () => 'sq0atp-' + rw(22),
    'square secret': () => 'sq0csp-' + rw(43),
    'paypal bt': () => 'access_token$production$' + R('l', 16) + '$' + R('h', 32),
    'razorpay': () => 'rzp_live_' + R('a', 14),
    'adyen': () => 'AQE' + R('b', 80),
    'paystack': () => 'sk_live_' + R('h', 40),
    'flutterwave': () => 'FLWSECK-' + R('h', 32) + '-X',
    'flutterwave test': () => 'FLWSECK_TEST-' + R('h', 32) + '-X',
    'plaid': () => 'access-production-' + R('h', 8) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 12),
    'coinbase': () => 'organizations/x/apiKeys/y -----BEGIN EC PRIVATE KEY-----\n' + R('b', 64) + '\n-----END EC PRIVATE KEY-----',
    'lemon jwt': () => 'eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.eyJ' + R('a', 90) + '.' + rw(160),
    'npm': () => 'npm_' + R('a', 36),
    'pypi': () => 'pypi-AgEIcHlwaS5vcmc' + rw(120),
    'testpypi': () => 'pypi-AgENdGVzdC5weXBpLm9yZw' + rw(120),
    'rubygems': () => 'rubygems_' + R('h', 48),
    'crates': () => 'cio' + R('a', 32),
    'nuget': () => 'oy2' + R('l', 43),
    'clojars': () => 'CLOJARS_' + R('h', 60),
    'docker pat': () => 'dckr_pat_' + rw(27),
    'docker oat': () => 'dckr_oat_' + rw(32),
    'jfrog api': () => 'AKCp' + R('a', 69),
    'jfrog ref': () => 'cmVmdGtuOj' + R('a', 54),
    'cargo token hex?': () => 'packagist_uut_' + R('h', 64),
    'anaconda': () => 'dop_v1_' + R('h', 64),
    'codecov': () => 'CODECOV_TOKEN=' + R('h', 8) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 12),
    'vsce': () => R('a', 76) + 'AZDO' + R('a', 4),
    'do oauth': () => 'doo_v1_' + R('h', 64),
    'do spaces': () => 'DO00' + R('U', 16),
    'heroku': () => 'HRKU-' + R('h', 8) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 12),
    'heroku aa': () => 'HRKU-AA' + rw(58),
    'fly': () => 'fo1_' + rw(43),
    'fly m': () => 'FlyV1 fm2_' + R('b', 300) + 'a1',
    'render': () => 'rnd_' + R('a', 32),
    'vercel': () => 'vcp_' + R('a', 56),
    'netlify': () => 'nfp_' + R('a', 36),
    'scaleway': () => 'SCW' + R('U', 17),
    'cloudflare origin': () => 'v1.0-' + R('h', 24) + '-' + R('h', 146),
    'cloudflare new': () => 'cfut_' + R('a', 40) + R('h', 8),
    'linode': () => 'LINODE_TOKEN=' + R('h', 64),
    'alibaba': () => 'LTAI5t' + R('a', 18),
    'tencent': () => 'AKID' + R('a', 32),
    'yandex': () => 'AQVN' + rw(36),
    'railway': () => 'RAILWAY_TOKEN=' + R('h', 8) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 12),
    'ibm': () => 'IBMCLOUD_API_KEY=' + rw(44),
    'ovh': () => 'OVH_APPLICATION_SECRET=' + R('a', 32),
    'exoscale': () => 'EXO' + R('h', 26),
    'upcloud': () => 'ucat_01' + R('U', 24),
    'hetzner': () => 'HCLOUD_TOKEN=' + R('a', 64),
    'vultr': () => 'VULTR_API_KEY=' + R('U', 36),
    'azure secret': () => R('a', 3) + '8Q~' + rw(34),
    'azure storage': () => 'AccountKey=' + R('b', 86) + '==',
    'azure storage sig': () => R('b', 76) + '+ASt' + R('a', 6) + '==',
    'azure sas': () => '?sv=2022-11-02&ss=b&srt=sco&sp=rl&se=2025-01-01T00:00:00Z&sig=' + R('a', 40) + '%2B' + R('a', 1) + '%3D',
    'azure openai': () => R('a', 52) + 'JQQJ99' + R('a', 26),
    'azure sb': () => 'Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=' + R('b', 33) + '+ASb' + R('a', 5) + '=',
    'vault': () => 'hvs.' + rw(92),
    'vault batch': () => 'hvb.' + rw(140),
    'vault old': () => 'VAULT_TOKEN=s.' + R('a', 24),
    'tf cloud': () => R('a', 14) + '.atlasv1.' + R('a', 67),
    'doppler': () => 'dp.pt.' + R('a', 43),
    'doppler st': () => 'dp.st.prd.' + R('a', 43),
    '1password': () => 'ops_eyJ' + R('a', 240),
    '1p secret key': () => 'A3-' + R('U', 6) + '-' + R('U', 6) + '-' + R('U', 5) + '-' + R('U', 5) + '-' + R('U', 5) + '-' + R('U', 5),
    'age': () => 'AGE-SECRET-KEY-1' + R('U', 58),
    'pulumi': () => 'pul-' + R('h', 40),
    'infisical': () => 'st.' + R('h', 24) + '.' + R('h', 32) + '.' + R('h', 32),
    'bitwarden sm': () => 'BWS_ACCESS_TOKEN=0.' + R('h', 8) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 12) + '.' + R('a', 30) + ':' + R('b', 22) + '==',
    'akeyless': () => 'AKEYLESS_ACCESS_KEY=' + R('b', 43) + '=',
    'atlassian': () => 'ATATT3xFfGF0' + rw(170) + '=' + R('U', 7) + '1',
    'bitbucket app': () => 'ATBB' + R('a', 32),
    'atlassian c': () => 'ATCTT3xFfGN0' + rw(160) + '=' + R('U', 7) + '2',
    'trello': () => 'ATTA' + R('h', 64) + R('U', 8),
    'linear': () => 'lin_api_' + R('a', 40),
    'notion': () => 'ntn_' + R('a', 46),
    'notion old': () => 'secret_' + R('a', 43),
    'figma': () => 'figd_' + rw(40),
    'airtable': () => 'pat' + R('a', 14) + '.' + R('h', 64),
    'asana': () => '2/12' + R('d', 14) + '/12' + R('d', 14) + ':' + R('h', 32),
    'asana1': () => '1/12' + R('d', 14) + ':' + R('h', 32),
    'clickup': () => 'pk_' + R('d', 8) + '_' + R('U', 32),
    'monday jwt': () => 'eyJhbGciOiJIUzI1NiJ9.eyJ' + R('a', 120) + '.' + rw(43),
    'postman': () => 'PMAK-' + R('h', 24) + '-' + R('h', 34),
    'contentful': () => 'CFPAT-' + rw(43),
    'typeform': () => 'tfp_' + R('a', 44),
    'readme': () => 'rdme_xn8s9h' + R('h', 64),
    'miro': () => 'eyJtaXJvLm9yaWdpbiI6ImV1MDEifQ_' + R('a', 27),
    'circleci': () => 'CCIPAT_' + R('a', 22) + '_' + R('h', 40),
    'circleci project': () => 'CCIPRJ_' + R('a', 22) + '_' + R('h', 40),
    'buildkite': () => 'bkua_' + R('h', 40),
    'buildkite agent': () => 'bkct_' + rw(60),
    'sonar user': () => 'squ_' + R('h', 40),
    'sonar project': () => 'sqp_' + R('h', 40),
    'sonar analysis': () => 'sqa_' + R('h', 40),
    'snyk': () => 'snyk_uat.' + R('h', 8) + '.' + rw(80),
    'sourcegraph': () => 'sgp_' + R('h', 16) + '_' + R('h', 40),
    'harness': () => 'pat.' + rw(22) + '.' + R('h', 24) + '.' + R('a', 20),
    'octopus': () => 'API-' + R('U', 26),
    'semaphore': () => 'SEMAPHORE_API_TOKEN=' + R('h', 40),
    'travis': () => 'TRAVIS_TOKEN=' + rw(22),
    'depot': () => 'depot_org_' + R('h', 64),
    'datadog': () => 'DD_API_KEY=' + R('h', 32),
    'datadog app': () => 'DD_APP_KEY=' + R('h', 40),
    'newrelic': () => 'NRAK-' + R('U', 27),
    'newrelic lic': () => 'eu01xx' + R('h', 30) + 'NRAL',
    'grafana sa': () => 'glsa_' + R('a', 32) + '_' + R('h', 8),
    'grafana cloud': () => 'glc_eyJ' + R('a', 120),
    'dynatrace': () => 'dt0c01.' + R('U', 24) + '.' + R('U', 64),
    'sentry user': () => 'sntryu_' + R('h', 64),
    'sentry org': () => 'sntrys_eyJ' + R('a', 120) + '_' + R('a', 43),
    'sentry dsn': () => 'https://' + R('h', 32) + '@o1234.ingest.sentry.io/5678',
    'posthog': () => 'phx_' + R('a', 43),
    'launchdarkly sdk': () => 'sdk-' + R('h', 8) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 12),
    'honeycomb': () => 'hcaik_01' + R('l', 56),
    'axiom': () => 'xaat-' + R('h', 8) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 12),
    'axiom pat': () => 'xapt-' + R('h', 8) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 12),
    'opsgenie': () => 'OPSGENIE_API_KEY=' + R('h', 8) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 12),
    'pagerduty': () => 'PAGERDUTY_TOKEN=u+' + R('a', 18),
    'betterstack': () => 'LOGTAIL_SOURCE_TOKEN=' + R('a', 24),
    'logfire': () => 'pylf_v1_us_' + R('a', 43),
    'rollbar': () => 'ROLLBAR_ACCESS_TOKEN=' + R('h', 32),
    'splunk': () => 'splunk_hec_token: ' + R('h', 8) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 12),
    'elastic': () => 'ELASTIC_API_KEY=' + R('b', 58) + '==',
    'sendgrid': () => 'SG.' + rw(22) + '.' + rw(43),
    'mailgun': () => 'key-' + R('h', 32),
    'mailgun new': () => R('h', 32) + '-' + R('h', 8) + '-' + R('h', 8),
    'mailchimp': () => R('h', 32) + '-us12',
    'brevo': () => 'xkeysib-' + R('h', 64) + '-' + R('a', 16),
    'brevo smtp': () => 'xsmtpsib-' + R('h', 64) + '-' + R('a', 16),
    'resend': () => 're_' + R('a', 8) + '_' + R('a', 24),
    'twilio': () => 'SK' + R('h', 32),
    'twilio auth': () => 'TWILIO_AUTH_TOKEN=' + R('h', 32),
    'messagebird': () => 'MESSAGEBIRD_ACCESS_KEY=' + R('a', 25),
    'onesignal': () => 'os_v2_app_' + R('l', 103),
    'pubnub': () => 'sec-c-' + R('b', 46) + 'A1',
    'telnyx': () => 'KEY01' + R('U', 30) + '_' + R('a', 22),
    'vonage': () => 'VONAGE_API_SECRET=' + R('a', 16),
    'postmark': () => 'POSTMARK_SERVER_TOKEN=' + R('h', 8) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 12),
    'loops': () => 'LOOPS_API_KEY=' + R('h', 32),
    'databricks': () => 'dapi' + R('h', 32),
    'planetscale': () => 'pscale_tkn_' + rw(43),
    'planetscale pw': () => 'pscale_pw_' + rw(43),
    'supabase': () => 'sbp_' + R('h', 40),
    'supabase sec': () => 'sb_secret_' + rw(31),
    'neon': () => 'napi_' + R('l', 64),
    'neon pw': () => 'npg_' + R('a', 16),
    'mongodb url': () => 'mongodb+srv://app:' + R('a', 16) + '@c0.abcd.mongodb.net/db',
    'clickhouse': () => '4b1d' + R('a', 38),
    'xata': () => 'xau_' + R('a', 43),
    'tinybird': () => 'p.eyJ1IjogIj' + R('a', 80) + '.' + rw(27),
    'upstash': () => 'UPSTASH_REDIS_REST_TOKEN=A' + R('a', 56) + 'Q=',
    'aiven': () => 'AVNS_' + rw(19),
    'cockroach': () => 'CCDB1_' + R('a', 22) + '_' + R('a', 40),
    'prisma': () => 'prisma://accelerate.prisma-data.net/?api_key=eyJhbGciOiJIUzI1NiJ9.eyJ' + R('a', 90) + '.' + rw(43),
    'convex': () => 'prod:happy-otter-123|' + R('a', 60) + '==',
    'algolia': () => 'ALGOLIA_ADMIN_KEY=' + R('h', 32),
    'meili': () => 'MEILI_MASTER_KEY=' + R('a', 32),
    'astra': () => 'AstraCS:' + R('a', 24) + ':' + R('h', 64),
    'turso': () => 'TURSO_AUTH_TOKEN=eyJhbGciOiJFZERTQSJ9.eyJ' + R('a', 60) + '.' + rw(86),
    'shopify': () => 'shpat_' + R('h', 32),
    'shopify ss': () => 'shpss_' + R('h', 32),
    'hubspot': () => 'pat-na1-' + R('h', 8) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 12),
    'facebook': () => 'EAAG' + R('a', 180),
    'facebook app': () => R('d', 15) + '|' + rw(27),
    'instagram': () => 'IGQV' + rw(140),
    'dropbox': () => 'sl.' + rw(140),
    'twitter bearer': () => 'AAAAAAAAAAAAAAAAAAAAA' + R('a', 30) + '%3D' + R('a', 50),
    'zoho': () => '1000.' + R('h', 32) + '.' + R('h', 32),
    'salesforce': () => '00D' + R('a', 12) + '!' + rw(90),
    'linkedin': () => 'WPL_AP1.' + R('a', 16) + '.' + R('a', 8) + '==',
    'twitch': () => 'TWITCH_TOKEN=oauth:' + R('l', 30),
    'spotify': () => 'SPOTIFY_CLIENT_SECRET=' + R('h', 32),
    'okta': () => 'OKTA_API_TOKEN=00' + rw(40),
    'okta ssws': () => 'Authorization: SSWS 00' + rw(40),
    'auth0': () => 'AUTH0_CLIENT_SECRET=' + rw(64),
    'mapbox': () => 'sk.eyJ1Ijoi' + R('a', 60) + '.' + rw(22),
    'workos': () => 'sk_live_' + R('a', 60),
    'clerk': () => 'sk_live_' + R('a', 42),
    'stytch': () => 'secret-live-' + rw(36),
    'intercom': () => 'dG9rO' + R('a', 55) + '=',
    'zendesk': () => 'ZENDESK_API_TOKEN=' + R('a', 40),
    'ubidots': () => 'BBFF-' + R('a', 30),
    'particle': () => 'PARTICLE_ACCESS_TOKEN=' + R('h', 40),
    'tailscale': () => 'tskey-auth-' + R('a', 12) + 'CNTRL-' + R('a', 32),
    'tailscale api': () => 'tskey-api-' + R('a', 12) + 'CNTRL-' + R('a', 32),
    'zerotier': () => 'ZEROTIER_TOKEN=' + R('a', 32),
    'ngrok': () => 'NGROK_AUTHTOKEN=' + R('a', 27) + '_' + R('a', 21),
    'wakatime': () => 'waka_' + R('h', 8) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 12),
    'rapidapi': () => R('h', 10) + 'msh' + R('h', 15) + 'p1' + R('h', 6) + 'jsn' + R('h', 12),
    'deepl': () => R('h', 8) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 12) + ':fx',
    'openshift': () => 'sha256~' + rw(43),
    'rancher': () => 'token-' + R('l', 5) + ':' + R('l', 54),
    'k8s sa': () => 'eyJhbGciOiJSUzI1NiIsImtpZCI6' + R('a', 40) + '.eyJ' + R('a', 200) + '.' + rw(340),
    'teleport': () => 'TELEPORT_TOKEN=' + R('h', 32),
    'cursor': () => 'key_' + R('h', 64),
    'replit': () => 'REPLIT_TOKEN=' + rw(60),
    'browserbase': () => 'bb_live_' + rw(27),
    'composio': () => 'COMPOSIO_API_KEY=' + R('l', 20),
    'context7': () => 'ctx7sk-' + R('h', 8) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 12),
    'smithery': () => 'SMITHERY_API_KEY=' + R('h', 8) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 4) + '-' + R('h', 12),
    'nostr': () => 'nsec1' + R('l', 58),
    'wallet': () => 'PRIVATE_KEY=0x' + R('h', 64),
    'infura': () => 'INFURA_API_KEY=' + R('h', 32),
    'alchemy': () => 'https://eth-mainnet.g.alchemy.com/v2/' + 'alcht_' + R('a', 30),
};
const prefixed = /^([A-Z][A-Z0-9_]+=|AccountKey=|_gitlab_session=|Authorization: SSWS |splunk_hec_token: |"private_key_id": "|organizations.*?\n|prisma:.*?api_key=|\?sv=.*?sig=|Endpoint=.*SharedAccessKey=|mongodb\+srv:\/\/app:|FlyV1 |https:\/\/(?=[0-9a-f]{32}@)|https:\/\/eth.*\/v2\/|https:\/\/[^ ]*?(?:services\/|workflows\/|webhooks\/\d+\/|IncomingWebhook\/))/;
let turn = 0;
for (const [name, make] of Object.entries(V)) {
  let t = make(), s = t.replace(prefixed, '');
  if (name === 'google sa id') continue;
  if (name === 'coinbase') s = t.split('\n')[1];
  s = s.replace(/@(c0|o1234)\..*$/, '');
  if (/slack hook|slack wf/.test(name)) s = t.split('/').pop();
  if (name === 'teams hook') s = t.split('/IncomingWebhook/')[1].split('/')[0];
  if (name === 'convex') s = t.split('|')[1];
  const own = t !== s;
  const frames = [(x) => `${x}\n`, (x) => `created key ${x} for you\n`, (x) => `  "value": "${x}",\n`, (x) => `2026-11-22 12:00:01 DEBUG using ${x}\n`, (x) => `$ echo ${x}\n${x}\n`, (x) => `(${x})\n`];
  add('vendor', own ? t + '\n' : frames[turn++ % frames.length](t), s);
}

// ---- tools
const T = (f, v) => { const s = v || pw(); add('tools', '$ ' + f(s) + '\n', s); };
T((s) => `mysql -u root -p'${s}' shop`);
T((s) => `mysqldump --user=root --password='${s}' --all-databases`);
T((s) => `mariadb-dump -uroot -p${s} shop > x.sql`, simple());
T((s) => `mariadb -h db -p${s}`, simple());
T((s) => `psql postgresql://app:${s}@db.local:5432/shop -c 'select 1'`, simple());
T((s) => `PGPASSWORD='${s}' psql -h db -U app`);
T((s) => `pg_dump "host=db user=app password=${s} dbname=x"`, simple());
T((s) => `psql "postgres://app:${s}@db/shop"`, simple());
T((s) => `sshpass -p '${s}' ssh root@host`);
T((s) => `sshpass -p${s} scp a b:`, simple());
T((s) => `docker login -u me -p ${s} registry.io`, simple());
T((s) => `docker login --username me --password ${s}`, simple());
T((s) => `podman login -u me --password=${s} quay.io`, simple());
T((s) => `helm registry login r.io -u me -p ${s}`, simple());
T((s) => `helm repo add x https://x --username u --password ${s}`, simple());
T((s) => `oc login https://api:6443 -u kubeadmin -p ${s}`, simple());
T((s) => `oc login --token=${s} --server=https://x`, 'sha256~' + rw(43));
T((s) => `redis-cli -h r -a ${s} ping`, simple());
T((s) => `redis-cli --pass ${s}`, simple());
T((s) => `redis-cli -u redis://default:${s}@h:6379`, simple());
T((s) => `redis-cli CONFIG SET requirepass ${s}`, simple());
T((s) => `keytool -genkey -storepass ${s} -keypass ${word()}`, simple());
T((s) => `keytool -list -keystore x.jks -srcstorepass ${s}`, simple());
T((s) => `sqlplus scott/${s}@orcl`, simple());
T((s) => `sqlplus -s sys/${s}@//db:1521/x as sysdba`, simple());
T((s) => `openssl rsa -in k.pem -passin pass:${s} -out k2.pem`, simple());
T((s) => `openssl enc -aes-256-cbc -k ${s} -in a`, simple());
T((s) => `openssl pkcs12 -export -passout pass:${s}`, simple());
T((s) => `curl -u admin:${s} https://api/x`, simple());
T((s) => `curl --user 'admin:${s}' https://api`);
T((s) => `curl -sSfu admin:${s} https://x`, simple());
T((s) => `curl -H 'X-Api-Key: ${s}' https://x`, simple());
T((s) => `curl -H "PRIVATE-TOKEN: ${s}" https://gl/api`, simple());
T((s) => `curl -x http://px:${s}@proxy:3128 https://x`, simple());
T((s) => `curl 'https://x/api?api_key=${s}&q=1'`, simple());
T((s) => `curl -d 'user=x&password=${s}' https://x/login`, simple());
T((s) => `curl --data-raw '{"username":"x","password":"${s}"}' https://x`, simple());
T((s) => `curl -b 'session=${s}' https://x`, simple());
T((s) => `wget --user=u --password='${s}' https://x`);
T((s) => `wget --http-password=${s} https://x`, simple());
T((s) => `wget --header="Authorization: Bearer ${s}" https://x`, simple());
T((s) => `http -a admin:${s} GET https://x`, simple());
T((s) => `xh -a u:${s} https://x`, simple());
T((s) => `http https://x Authorization:"Bearer ${s}"`, simple());
T((s) => `http POST https://x/login username=a password=${s}`, simple());
T((s) => `aws configure set aws_secret_access_key ${s}`, R('b', 40));
T((s) => `aws configure set default.aws_session_token ${s}`, R('b', 60));
T((s) => `aws rds modify-db-instance --master-user-password '${s}'`);
T((s) => `aws secretsmanager create-secret --name x --secret-string '${s}'`);
T((s) => `aws ssm put-parameter --name /x --type SecureString --value '${s}'`);
T((s) => `aws cognito-idp admin-set-user-password --user-pool-id x --username y --password '${s}'`);
T((s) => `gh auth login --with-token <<< ${s}`, simple());
T((s) => `gh secret set API_KEY --body "${s}"`);
T((s) => `gh secret set FOO -b${s}`, simple());
T((s) => `echo ${s} | gh auth login --with-token`, simple());
T((s) => `az login --service-principal -u app -p ${s} --tenant t`, simple());
T((s) => `az keyvault secret set --vault-name v --name n --value '${s}'`);
T((s) => `az sql server create -n x --admin-password '${s}'`);
T((s) => `az storage blob list --account-key ${s}`, R('b', 86) + '==');
T((s) => `az acr login -n x -u y -p ${s}`, simple());
T((s) => `gcloud sql users set-password root --instance=x --password='${s}'`);
T((s) => `echo -n '${s}' | gcloud secrets create x --data-file=-`);
T((s) => `gcloud auth activate-refresh-token me ${s}`, '1//0' + R('a', 50));
T((s) => `vault kv put secret/app db=${s}`, simple());
T((s) => `vault login ${s}`, 's.' + R('a', 24));
T((s) => `vault write auth/userpass/login/me password=${s}`, simple());
T((s) => `vault operator unseal ${s}`, R('b', 43) + '=');
T((s) => `vault write auth/approle/login role_id=x secret_id=${s}`, simple());
T((s) => `vault kv put -mount=secret app password='${s}' user=x`);
T((s) => `kubectl create secret generic x --from-literal=password='${s}'`);
T((s) => `kubectl create secret docker-registry r --docker-server=x --docker-username=u --docker-password=${s}`, simple());
T((s) => `kubectl create secret generic x --from-literal key=${s}`, simple());
T((s) => `kubectl config set-credentials me --token=${s}`, simple());
T((s) => `kubectl --token ${s} get pods`, simple());
T((s) => `kubectl config set-credentials me --username=a --password=${s}`, simple());
T((s) => `RESTIC_PASSWORD='${s}' restic backup /`);
T((s) => `restic -r rest:https://u:${s}@host/ snapshots`, simple());
T((s) => `export BORG_PASSPHRASE='${s}'`);
T((s) => `BORG_NEW_PASSPHRASE=${s} borg key change-passphrase`, simple());
T((s) => `ldapsearch -x -D cn=admin -w ${s} -b dc=x`, simple());
T((s) => `ldapsearch -x -D cn=admin -w '${s}' -b dc=x`);
T((s) => `ldappasswd -s ${s} uid=x`, simple());
T((s) => `smbclient //h/s -U 'dom\\u%${s}'`, simple());
T((s) => `mount -t cifs //h/s /mnt -o username=u,password=${s},uid=0`, simple());
T((s) => `smbclient //h/s --user=u --password=${s}`, simple());
T((s) => `mosquitto_pub -h h -u u -P ${s} -t t -m m`, simple());
T((s) => `mosquitto_passwd -b pwfile u ${s}`, simple());
T((s) => `rabbitmqctl add_user u ${s}`, simple());
T((s) => `rabbitmqctl change_password u '${s}'`);
T((s) => `mongosh "mongodb://u:${s}@h:27017/db"`, simple());
T((s) => `mongosh -u admin -p ${s} --authenticationDatabase admin`, simple());
T((s) => `mongodump --password ${s} --out x`, simple());
T((s) => `clickhouse-client --host h --password '${s}'`);
T((s) => `clickhouse-client --password=${s} -q 'select 1'`, simple());
T((s) => `influx -username u -password ${s}`, simple());
T((s) => `influx config create -n x -t ${s}`, simple());
T((s) => `influx write --token ${s} 'm v=1'`, simple());
T((s) => `SNOWSQL_PWD='${s}' snowsql -a x`);
T((s) => `twine upload -u __token__ -p ${s} dist/*`, simple());
T((s) => `TWINE_PASSWORD=${s} twine upload dist/*`, simple());
T((s) => `npm config set //registry.npmjs.org/:_authToken=${s}`, simple());
T((s) => `npm config set //registry.npmjs.org/:_authToken ${s}`, simple());
T((s) => `npm config set _auth=${s}`, R('a', 23) + '=');
T((s) => `pip install --index-url https://u:${s}@pypi.corp/simple x`, simple());
T((s) => `pip config set global.index-url https://__token__:${s}@pypi.corp/simple`, simple());
T((s) => `git remote add o https://me:${s}@git.corp/x.git`, simple());
T((s) => `git clone https://oauth2:${s}@gitlab.com/x/y.git`, simple());
T((s) => `git -c http.extraHeader="Authorization: Basic ${s}" fetch`, R('a', 27) + '=');
T((s) => `git config --global github.token ${s}`, simple());
T((s) => `bundle config gems.corp.com user:${s}`, simple());
T((s) => `gem push --key ${s} x.gem`, 'rubygems_' + R('h', 48));
T((s) => `cargo publish --token ${s}`, simple());
T((s) => `composer config http-basic.repo.corp user ${s}`, simple());
T((s) => `poetry config pypi-token.pypi ${s}`, simple());
T((s) => `mvn deploy -Drepo.password=${s}`, simple());
T((s) => `gradle publish -PrepoPassword=${s}`, simple());
T((s) => `dotnet nuget push x.nupkg --api-key ${s} --source y`, simple());
T((s) => `yarn config set npmAuthToken ${s}`, simple());
T((s) => `ansible-vault encrypt_string '${s}' --name db_pw`);
T((s) => `ansible-playbook x.yml -e ansible_become_pass='${s}'`);
T((s) => `ansible-playbook x.yml --extra-vars "db_password=${s}"`, simple());
T((s) => `zip -P ${s} -r a.zip a`, simple());
T((s) => `unzip -P '${s}' a.zip`);
T((s) => `7z a -p${s} a.7z a`, simple());
T((s) => `7z x -p'${s}' a.7z`);
T((s) => `gpg --batch --passphrase '${s}' -d a.gpg`);
T((s) => `gpg --passphrase=${s} -c a`, simple());
T((s) => `echo '${s}' | gpg --batch --passphrase-fd 0 -d a.gpg`);
T((s) => `rar a -hp${s} a.rar a`, simple());
T((s) => `qpdf --password=${s} --decrypt a.pdf b.pdf`, simple());
T((s) => `cryptsetup luksOpen /dev/sda x <<< '${s}'`);
T((s) => `echo '${s}' | sudo -S ls`);
T((s) => `echo 'root:${s}' | chpasswd`);
T((s) => `useradd -p '${s}' bob`, '$6$abcdefgh$' + R('a', 86));
T((s) => `htpasswd -bc f u ${s}`, simple());
T((s) => `htpasswd -nbB u '${s}'`);
T((s) => `rclone config create r s3 secret_access_key=${s}`, R('b', 40));
T((s) => `rclone obscure '${s}'`);
T((s) => `s3cmd --access_key=x --secret_key=${s} ls`, R('b', 40));
T((s) => `mc alias set m https://h AKX ${s}`, simple());
T((s) => `mc alias set m https://h minio '${s}'`);
T((s) => `nmcli dev wifi connect home password '${s}'`);
T((s) => `wpa_passphrase home '${s}'`);
T((s) => `xfreerdp /v:h /u:u /p:${s}`, simple());
T((s) => `ipmitool -I lanplus -H h -U u -P ${s} power on`, simple());
T((s) => `snmpwalk -v2c -c ${s} h`, simple());
T((s) => `sqlcmd -S h -U sa -P '${s}'`);
T((s) => `bcp t out f -U sa -P ${s}`, simple());
T((s) => `impdp system/${s} dumpfile=x`, simple());
T((s) => `db2 connect to x user u using ${s}`, simple());
T((s) => `cqlsh -u u -p ${s}`, simple());
T((s) => `cypher-shell -u neo4j -p ${s}`, simple());
T((s) => `argocd login h --username admin --password ${s}`, simple());
T((s) => `flyctl secrets set DB=${s}`, simple());
T((s) => `heroku config:set FOO=${s}`, simple());
T((s) => `wrangler secret put X <<< ${s}`, simple());
T((s) => `terraform apply -var 'db_password=${s}'`);
T((s) => `terraform plan -var="token=${s}"`, simple());
T((s) => `docker run -e MYSQL_ROOT_PASSWORD=${s} mysql`, simple());
T((s) => `docker run --env POSTGRES_PASSWORD='${s}' pg`);
T((s) => `docker build --build-arg NPM_TOKEN=${s} .`, simple());
T((s) => `sudo docker exec db mysql -uroot -p${s} -e 'show tables'`, simple());
T((s) => `ssh h "mysql -p${s} x"`, simple());
T((s) => `kinit me <<< '${s}'`);
T((s) => `ssh-keygen -t ed25519 -N '${s}' -f k`);
T((s) => `ssh-keygen -p -P ${s} -N '' -f k`, simple());
T((s) => `plink -pw ${s} h ls`, simple());
T((s) => `lftp -u u,${s} ftp.h`, simple());
T((s) => `swaks --to a --auth-user u --auth-password ${s}`, simple());
T((s) => `pass insert -e x <<< '${s}'`);
T((s) => `op item create password='${s}'`);
T((s) => `bw unlock '${s}'`);
T((s) => `nordvpn login --token ${s}`, simple());
T((s) => `tailscale up --authkey ${s}`, simple());
T((s) => `cloudflared service install ${s}`, 'eyJhIjoi' + R('a', 90));
T((s) => `doctl auth init -t ${s}`, simple());
T((s) => `hcloud context create x --token ${s}`, simple());
T((s) => `pulumi config set --secret dbPassword '${s}'`);
T((s) => `sentry-cli --auth-token ${s} releases`, simple());
T((s) => `sonar-scanner -Dsonar.token=${s}`, simple());
T((s) => `snyk auth ${s}`, simple());
T((s) => `etcdctl --user root:${s} get x`, simple());
T((s) => `nats --user u --password ${s} pub a b`, simple());
T((s) => `kcat -X sasl.password=${s} -b h`, simple());
T((s) => `kafka-console-producer --producer-property 'sasl.jaas.config=x username="u" password="${s}";'`, simple());
T((s) => `jupyter lab --NotebookApp.token='${s}'`);
T((s) => `code-server --auth password --password ${s}`, simple());
T((s) => `ttyd -c u:${s} bash`, simple());
T((s) => `socat - PROXY:p:h:1,proxyauth=u:${s}`, simple());
T((s) => `x11vnc -passwd ${s}`, simple());
T((s) => `hydra -l u -p ${s} ssh://h`, simple());
T((s) => `net user bob ${s} /add`, simple());
T((s) => `net use Z: \\\\h\\s ${s} /user:bob`, simple());
T((s) => `mutt -e 'set imap_pass="${s}"'`);
T((s) => `expect -c 'send "${s}\\r"'`, simple());
T((s) => `authselect x; passwd --stdin bob <<< ${s}`, simple());
T((s) => `printf '%s\\n' '${s}' | docker login --password-stdin -u x`);
T((s) => `consul kv get -token=${s} x`, simple());
T((s) => `nomad status -token ${s}`, simple());
T((s) => `minikube addons enable x --token=${s}`, simple());
T((s) => `gitlab-runner register --registration-token ${s}`, simple());
T((s) => `./config.sh --url https://github.com/x --token ${s}`, R('U', 29));
T((s) => `k3s agent --token ${s} --server x`, 'K10' + R('h', 64) + '::server:' + R('h', 32));
T((s) => `kubeadm join h:6443 --token ${s} --discovery-token-ca-cert-hash sha256:00`, R('l', 6) + '.' + R('l', 16));
T((s) => `docker swarm join --token ${s} h:2377`, 'SWMTKN-1-' + R('l', 50) + '-' + R('l', 25));
T((s) => `surreal sql --user root --pass ${s}`, simple());
T((s) => `rsync --password-file=<(echo ${s}) a b`, simple());
T((s) => `az webapp config appsettings set --settings DB_PASSWORD=${s}`, simple());
T((s) => `firebase functions:config:set x.key=${s}`, simple());
T((s) => `supabase link --project-ref x -p ${s}`, simple());
T((s) => `vercel --token ${s} deploy`, simple());
T((s) => `netlify deploy --auth ${s}`, simple());
T((s) => `railway login --token ${s}`, simple());

// ---- files
const F = (t, ...s) => add('files', t, ...s);
let s = simple(), p = pw();
F(`machine api.heroku.com\n  login me@x.io\n  password ${s}\n`, s);
s = simple(); F(`machine h login u password ${s}\n`, s);
s = simple(); F(`default login anonymous password ${s}\n`, s);
s = simple(); F(`db.local:5432:shop:app:${s}\n*:*:*:admin:${p}\n`, s, p);
s = simple();
F(`users:\n- name: admin\n  user:\n    token: ${s}\n`, s);
s = R('b', 120) + '=='; F(`    client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt${s}\n`, s);
s = simple(); F(`- name: x\n  user:\n    password: ${s}\n    username: admin\n`, s);
s = R('a', 31) + '='; F(`{\n\t"auths": {\n\t\t"https://index.docker.io/v1/": {\n\t\t\t"auth": "${s}"\n\t\t}\n\t}\n}\n`, s);
s = simple(); F(`{"auths":{"r.io":{"username":"u","password":"${s}","identitytoken":"${p}"}}}\n`, s, p);
s = simple();
F(`provider "aws" {\n  access_key = "x"\n  secret_key = "${s}"\n}\n`, s);
s = simple(); F(`db_password = "${s}"\n`, s);
s = simple(); F(`variable "db_password" {\n  default = "${s}"\n}\n`, s);
s = simple(); F(`        "master_password": "${s}",\n        "port": 5432,\n`, s);
s = simple(); F(`credentials "app.terraform.io" {\n  token = "${s}"\n}\n`, s);
s = R('a', 36);
F(`//registry.npmjs.org/:_authToken=${s}\n`, s);
s = R('a', 23) + '='; F(`_auth=${s}\nemail=a@b.c\n`, s);
s = R('a', 19) + '='; F(`//r.corp/:_password="${s}"\n`, s);
s = simple(); F(`npmAuthToken: "${s}"\n`, s);
s = simple(); F(`DATABASE_URL=postgres://app:${s}@db/x\nSECRET_KEY=${p}\n`, s, p);
s = simple() + simple(); F(`STRIPE_KEY=${s}\nMAIL_PASS='${p}'\n`, s, p);
s = simple(); F(`define( 'DB_PASSWORD', '${s}' );\ndefine( 'AUTH_KEY', 'put9 your^unique)phrase here' );\n`, s);
F(`define('AUTH_KEY',         'k;2%9~Wz@Q+ v|#nU5r]L8');\n`, 'k;2%9~Wz@Q+ v|#nU5r]L8');
F(`define('NONCE_SALT', 'z9_J3hB2%kQ-7xY^Rw1(P');\n`, 'z9_J3hB2%kQ-7xY^Rw1(P');
s = 'django-insecure-' + R('l', 20) + '&' + R('l', 20);
F(`SECRET_KEY = '${s}'\n`, s);
s = simple(); F(`DATABASES = {'default': {'USER': 'x', 'PASSWORD': '${s}', 'HOST': 'y'}}\n`, s);
s = simple(); F(`EMAIL_HOST_PASSWORD = "${s}"\n`, s);
s = simple(); F(`spring:\n  datasource:\n    username: x\n    password: ${s}\n`, s);
s = simple(); F(`spring.datasource.password=${s}\n`, s);
s = simple(); F(`jwt:\n  secret: ${s}\n`, s);
s = simple(); F(`<add key="ApiKey" value="${s}" />\n`, s);
s = simple(); F(`<add name="Db" connectionString="Server=x;Database=y;User Id=sa;Password=${s};" />\n`, s);
F(`<machineKey validationKey="${R('U', 64)}AB12" decryptionKey="${p}" />\n`, p);
s = simple(); F(`<network userName="u" password="${s}" host="x" />\n`, s);
s = simple(); F(`[client]\nuser=root\npassword=${s}\n`, s);
s = simple(); F(`[client]\nuser = root\npassword = "${p}"\n`, p);
s = simple(); F(`BUNDLE_GEMS__CORP__COM: "user:${s}"\n`, s);
s = simple(); F(`source "https://user:${s}@gems.corp.com"\n`, s);
s = 'pypi-AgEIcHlwaS5vcmc' + R('a', 80); F(`[pypi]\nusername = __token__\npassword = ${s}\n`, s);
s = simple(); F(`[distutils]\n[corp]\nrepository: https://x\nusername: u\npassword: ${s}\n`, s);
s = R('b', 40); F(`[default]\naccess_key = AKX\nsecret_key = ${s}\n`, s);
s = R('b', 40); F(`[default]\naws_access_key_id = x\naws_secret_access_key = ${s}\n`, s);
s = rw(30); F(`[remote]\ntype = sftp\npass = ${s}\n`, s);
s = R('b', 40); F(`[r]\ntype = s3\nsecret_access_key = ${s}\n`, s);
s = simple(); F(`[r]\ntype = drive\nclient_secret = ${s}\ntoken = {"access_token":"ya29.a0${R('a', 60)}","refresh_token":"1//0${R('a', 40)}"}\n`, s);
s = R('b', 43) + '='; F(`[Interface]\nPrivateKey = ${s}\nAddress = 10.0.0.2/24\n[Peer]\nPublicKey = ${R('b', 43)}=\nPresharedKey = ${p}\n`, s, p);
s = simple(); F(`ORCL =\n (DESCRIPTION = (ADDRESS = (HOST = db)(PORT = 1521)) (USER = x)(PASSWORD = ${s}))\n`, s);
s = simple(); F(`requirepass ${s}\nmasterauth ${p}\n`, s, p);
s = simple(); F(`user default on >${s} ~* +@all\n`, s);
s = simple(); F(`network={\n  ssid="x"\n  psk="${s}"\n}\n`, s);
s = simple(); F(`machine:\n  token: ${R('l', 6)}.${s}\n`, s);
s = R('a', 86); F(`root:$6$saltsalt$${s}:19000:0:99999:7:::\n`, s);
s = simple(); F(`bob:$apr1$abcdefgh$${s}XYZ12345\n`, s);
s = simple(); F(`<server><id>x</id><username>u</username><password>${s}</password></server>\n`, s);
s = simple(); F(`mavenPassword=${s}\nsigning.keyPassword=${p}\n`, s, p);
s = simple(); F(`"http-basic": {"repo.corp": {"username": "u", "password": "${s}"}}\n`, s);
s = R('h', 40); F(`{"github-oauth": {"github.com": "${s}"}}\n`, s);
s = simple(); F(`github.com:\n    user: me\n    oauth_token: ${s}\n`, s);
s = simple(); F(`https://me:${s}@github.com\n`, s);
s = simple(); F(`[smtp.x]:587 u:${s}\n`, s);
s = simple(); F(`account x\nhost smtp.x\nuser u\npassword ${s}\n`, s);
s = simple(); F(`poll x protocol IMAP user "u" password "${s}"\n`, s);
s = simple(); F(`u : PSK "${s}"\n: RSA k.pem\n`, s);
s = simple(); F(`username u\n\tsecret ${s}\n`, s);
s = simple(); F(`enable secret 5 $1$abcd$${R('a', 22)}\nusername bob password 7 ${R('U', 14)}\nsnmp-server community ${s} RO\n`, s);
s = simple(); F(`//${'h/s /mnt cifs username=u,password=' + s} 0 0\n`, s);
s = simple(); F(`username=u\npassword=${s}\ndomain=x\n`, s);
s = simple(); F(`stats auth admin:${s}\n`, s);
s = simple(); F(`auth_basic_user u;\nproxy_set_header Authorization "Basic ${R('a', 27)}=";\nproxy_set_header X-Api-Key "${s}";\n`, s);
s = simple(); F(`basic_auth:\n  username: u\n  password: ${s}\n`, s);
s = simple(); F(`alerting:\n  slack_api_url: https://hooks.slack.com/services/T${R('U', 8)}/B${R('U', 8)}/${s}abcdefghij\n`, s);
s = simple(); F(`services:\n  db:\n    environment:\n      - POSTGRES_PASSWORD=${s}\n`, s);
s = simple(); F(`    environment:\n      MYSQL_ROOT_PASSWORD: ${s}\n`, s);
s = R('a', 30) + '=='; F(`apiVersion: v1\nkind: Secret\ndata:\n  password: ${s}\n`, s);
s = R('a', 30) + '=='; F(`data:\n  api-token: ${s}\n`, s);
s = simple(); F(`stringData:\n  DB_PASS: "${s}"\n`, s);
s = simple(); F(`        - name: DB_PASSWORD\n          value: "${s}"\n`, s);
s = simple(); F(`Environment="API_TOKEN=${s}"\n`, s);
s = simple(); F(`ENV NPM_TOKEN=${s}\nARG SECRET=${p}\n`, s, p);
s = simple(); F(`production:\n  secret_key_base: ${s}${s}${s}\n`, s + s + s);
s = simple(); F(`adapter: mysql2\nusername: x\npassword: <%= ENV['X'] || '${s}' %>\n`, s);
s = simple(); F(`ansible_password=${s} ansible_user=x\n`, s);
s = simple(); F(`h1 ansible_host=1.2.3.4 ansible_ssh_pass='${s}'\n`, s);
s = simple(); F(`'password' => '${s}',\n'database' => 'x',\n`, s);
s = simple(); F(`APP_KEY=base64:${R('b', 43)}=\nPUSHER_APP_SECRET=${s}\n`, s);

// ---- env dumps
const D = (t, ...x) => add('env', Buffer.from(t).toString('latin1'), ...x);
for (const [name, v] of [['DB_PASSWORD', p], ['GITHUB_TOKEN', simple()], ['STRIPE_API_KEY', simple()], ['MAIL_PASS', 'two words9 here'], ['JWT_SECRET', simple()]]) {
  D(`HOME=/root\n${name}=${v}\nLANG=C\n`, v);
  D(`declare -x HOME="/root"\ndeclare -x ${name}="${v}"\ndeclare -x LANG="C"\n`, v);
  D(`export ${name}='${v}'\nexport LANG=C\n`, v);
  D(`typeset -x ${name}='${v}'\n`, v);
  D(`set -gx ${name} '${v}'\n`, v);
  D(`SET ${name}: exported, unexported, with 1 elements\n$${name}[1]: |${v}|\n`.replace('SET', '$').replace(/^\$ /, '$'), v);
  D(`+ ${name}='${v}'\n+ run\n`, v);
  D(`+ export '${name}=${v}'\n`, v);
  D(`Name                           Value\n----                           -----\n${name.padEnd(30)} ${v}\n`, v);
  D(`│ ${name.padEnd(20)} │ ${v} │\n`, v);
  D(`            "Env": [\n                "PATH=/usr/bin",\n                "${name}=${v}",\n                "X=y"\n`, v);
  D(`    Environment:\n      ${name}:  ${v}\n      X:         y\n`, v);
  D(`Environment=X=y ${/ /.test(v) ? `"${name}=${v}"` : `${name}=${v}`} Z=1\n`, v);
}

// ---- assignments
const A = (t, ...x) => add('assign', t, ...x);
const K = [() => pw(), () => simple(), () => word() + '!x'];
K.forEach((make) => {
  let v;
  v = make(); A(`password: ${v}\n`, v);
    v = make(); A(`password: "${v}"\n`, v);
    v = make(); A(`  "password": "${v}",\n`, v);
    v = make(); A(`{"user":"a","pass":"${v}","x":1}\n`, v);
    v = make(); A(`$password = '${v}';\n`, v);
    v = make(); A(`'db_pass' => '${v}',\n`, v);
    v = make(); A(`<password>${v.replace(/&/g, '')}</password>\n`, v.replace(/&/g, ''));
    v = make(); A(`<param name="secret" value="${v.replace(/&/g, '')}"/>\n`, v.replace(/&/g, ''));
    v = make(); A(`password = "${v}"\n`, v);
    v = make(); A(`client.secret=${v}\n`, v);
    v = make(); A(`const apiSecret = "${v}";\n`, v);
    v = make(); A(`conn = connect(host="x", password="${v}")\n`, v);
    v = make(); A(`let token = '${v}1';\n`, v + '1');
    v = make(); A(`:password => "${v}"\n`, v);
    v = make(); A(`password := "${v}"\n`, v);
    v = make(); A(`PASSWORD="${v}" ./run\n`, v);
    v = make(); A(`passphrase: '${v}'\n`, v);
    v = make(); A(`db.passwd = ${v}\n`, v);
    v = make(); A(`Pwd=${v.replace(/[;=&]/g, '')};Database=x\n`, v.replace(/[;=&]/g, ''));
    v = make(); A(`ALTER USER app WITH PASSWORD '${v}';\n`, v);
    v = make(); A(`CREATE USER 'a'@'%' IDENTIFIED BY '${v}';\n`, v);
    v = make(); A(`os.environ["API_PASSWORD"] = "${v}"\n`, v);
    v = make(); A(`"{\\"password\\":\\"${v}\\"}"\n`, v);
    v = make(); A(`password%3D${encodeURIComponent(v)}%26x%3D1\n`, encodeURIComponent(v));
    v = make(); A(`?user=a&password=${encodeURIComponent(v)}&x=1\n`, encodeURIComponent(v));
    v = make(); A(`\x1b[36mpassword\x1b[0m: ${v}\n`.replace(/\x1b\[\d+m/g, ''), v);
    v = make(); A(`password=${v}\\nuser=x\n`, v);
    v = make(); A(`Enter password: ${v}\n`, v);
    v = make(); A(`Your new password is: ${v}\n`, v);
});
[['pa\u015Bsword=', ''], ['p\u00e1ssword=', ''], ['passwo\u0301rd=', ''], ['\uFF50assword=', ''], ['pass\u200bword=', ''], ['PASSW\u00D6RD=', ''], ['Contrase\u00f1a: ', ''], ['mot_de_passe=', ''], ['API_K\u00c9Y=', ''], ['s\u00e9cret=', '']].forEach(([n]) => { const v = simple(); add('accents', Buffer.from(`${n}${v}\n`).toString('latin1'), v); });

// ---- headers
const H = (t, ...x) => add('headers', t, ...x);
['> ', '', '    ', '* h2 [', '< ', 'DEBUG:http: ', "header: "].forEach((pre) => { let v = simple() + simple(); H(`${pre}Authorization: Bearer ${v}\n`, v); v = R('a', 27) + '='; H(`${pre}authorization: Basic ${v}\n`, v); v = simple(); H(`${pre}X-API-Key: ${v}\n`, v); v = simple() + simple(); H(`${pre}Cookie: session=${v}; theme=dark\n`, v); v = simple() + simple(); H(`${pre}Set-Cookie: sid=${v}; Path=/; HttpOnly\n`, v); });
[['* [HTTP/2] [1] [authorization: Bearer %]\n'], ["send: b'GET / HTTP/1.1\\r\\nHost: x\\r\\nAuthorization: Bearer %\\r\\n\\r\\n'\n"], ["headers: { 'Authorization': 'Bearer %' }\n"], ['Authorization: token %\n'], ['Authorization: %\n'], ['Authorization: ApiKey %\n'], ['-H "Authorization: Bearer %"\n'], ['{"Authorization":["Bearer %"]}\n'], ['X-Auth-Token: %\n'], ['X-Vault-Token: %\n'], ['PRIVATE-TOKEN: %\n'], ['JOB-TOKEN: %\n'], ['Proxy-Authorization: Basic %\n'], ['X-Amz-Security-Token: %\n'], ['X-Shopify-Access-Token: %\n'], ['api-key: %\n'], ['Ocp-Apim-Subscription-Key: %\n'], ['X-Figma-Token: %\n'], ['DD-API-KEY: %\n'], ['x-goog-api-key: %\n'], ['X-CSRF-Token: %\n'], ['Sec-WebSocket-Protocol: bearer, %\n'], ['---request begin---\nGET / HTTP/1.1\nAuthorization: Basic %\n'], ['req.headers.authorization = "Bearer %"\n'], ['Authorization: Digest username="u", realm="r", nonce="n", response="%"\n'], ['Authorization: AWS4-HMAC-SHA256 Credential=AKX/20261122/us/s3/aws4_request, SignedHeaders=host, Signature=%\n'], ['authorization=Bearer%20%\n'], ['"authorization" => "Bearer %"\n'], ['Authorization=[Bearer %]\n'], ["Authorization:'Bearer %'\n"]].forEach(([f]) => { const v = R('a', 30) + '9x'; H(f.replace(/%(?!20)/, v), v); });

// ---- keys
const body = () => R('b', 64);
const b1 = [body(), body(), body(), R('b', 42) + 'A='];
const pem = (label) => `-----BEGIN ${label}-----\n${b1.join('\n')}\n-----END ${label}-----\n`;
const K2 = (t, ...x) => add('keys', t, ...x);
['RSA PRIVATE KEY', 'PRIVATE KEY', 'EC PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'ENCRYPTED PRIVATE KEY', 'DSA PRIVATE KEY'].forEach((l) => { K2(pem(l), ...b1); K2(pem(l).split('\n').slice(1).join('\n'), ...b1); K2(pem(l).split('\n').slice(0, 4).join('\n'), ...b1.slice(0, 3)); K2(pem(l).split('\n').map((x, i) => `     ${i + 1}\t${x}`).join('\n'), ...b1); K2(JSON.stringify({ key: pem(l) }) + '\n', ...b1); K2(pem(l).split('\n').map((x) => '    ' + x).join('\n'), ...b1); K2(pem(l).split('\n').map((x) => '+' + x).join('\n'), ...b1); K2(pem(l).split('\n').map((x) => '> ' + x).join('\n'), ...b1); K2(pem(l).split('\n').map((x, i) => `key.pem:${i + 1}:${x}`).join('\n'), ...b1); });
K2(b1.slice(0, 3).join('\n') + '\n', ...b1.slice(0, 3));
K2(`PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: x\nPublic-Lines: 2\n${b1[0]}\n${b1[3]}\nPrivate-Lines: 1\n${b1[1]}\nPrivate-MAC: ${R('h', 64)}\n`, b1[1]);
K2(`Private-Lines: 2\n${b1[0]}\n${b1[1]}\nPrivate-MAC: ${R('h', 64)}\n`, b1[0], b1[1]);
K2(`-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\nComment: x\n\n${b1.join('\n')}\n=ab12\n-----END PGP PRIVATE KEY BLOCK-----\n`, ...b1);
K2(`-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${b1.slice(0, 3).join('\n')}\n`, ...b1.slice(0, 3));
K2(`---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: "x"\n${b1.join('\n')}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----\n`, ...b1);
K2(`KEY="-----BEGIN PRIVATE KEY-----\n${b1.join('\n')}\n-----END PRIVATE KEY-----"\n`, ...b1);
K2('{"d":"' + b1[0].replace(/[+/]/g, 'x').slice(0, 43) + '","kty":"OKP","crv":"Ed25519","x":"' + R('a', 43) + '"}\n', b1[0].replace(/[+/]/g, 'x').slice(0, 43));

// ---- disguised
const G = (t, ...x) => add('disguised', t, ...x);
for (const mk of [() => 'ghp_' + R('a', 36), () => 'sk-ant-api03-' + R('a', 60), () => 'glpat-' + R('a', 20), () => 'xoxb-' + R('d', 12) + '-' + R('a', 24), () => 'AKIA' + R('U', 15) + '2', () => 'npm_' + R('a', 36)]) {
  let v;
  v = mk(); G(Buffer.from(v.slice(0, 9) + '\u200b' + v.slice(9) + '\n').toString('latin1'), v.slice(0, 9), v.slice(9));
    v = mk(); G(Buffer.from(v.slice(0, 7) + '\u00ad' + v.slice(7, 14) + '\u2060' + v.slice(14) + '\n').toString('latin1'), v.slice(0, 7), v.slice(7, 14), v.slice(14));
    v = mk(); G(`line\\n${v}\\nnext\n`, v);
    v = mk(); G(`x=1%3D${v}%26\n`, v);
    v = mk(); G(`[31m${v}[0m\n`, v);
    v = mk(); G(`\\u003d${v}\n`, v);
    v = mk(); G(JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ token: v }) }) }) + '\n', v);
    v = mk(); G(`"\\"${v}\\""\n`, v);
    v = mk(); G(`\\t${v}\n`, v);
    v = mk(); G(`b'${v}'\n`, v);
    v = mk(); G(`|${v}|\n`, v);
    v = mk(); G(`https://x/y?t=${v}#z\n`, v);
    v = mk(); G(`/${v}/\n`, v);
    v = mk(); G(`${v}.\n`, v);
    v = mk(); G(`token${v}\n`.replace('token', 'tok='), v);
}

// Where what goes is more than the secret, its name or its like alone.
const more = /LS0t|^machine:|apr1|Digest|AWS4|-U 'dom|hooks.slack|PRIVATE KEY/;

// The same texts without their secrets: with a variable in its place, or a shape's beginning alone.
function negatives() {
    return all.filter((c) => !['disguised', 'keys'].includes(c.group) && !more.test(c.text)).map((c) => {
        const bare = c.group === 'vendor' && !/[A-Z]=|SSWS|AccountKey|SharedAccess|mongodb|token: /.test(c.text);
        const text = c.secrets.reduce((left, s) => left.split(s).join(bare ? s.slice(0, 6) + '...' : '$SECRET'), c.text);
        return { group: c.group, text, stays: bare ? text.trim() : '$SECRET' };
    });
}

module.exports = { cases: () => all.map((c) => ({ ...c, group: `second, ${c.group}` })), negatives };
