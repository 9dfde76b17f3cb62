import { assigned, key, UUID } from "../define.ts";
import type { Shape } from "../shape.ts";

/** Payments, banks and exchanges. */
export const MONEY_SHAPES: readonly Shape[] = [
  key("stripe-key", ["sk_live_<w:24-110>", "rk_live_<w:24-110>", "sk_org_live_<w:24-110>"]),
  key("stripe-test-key", ["sk_test_<w:24-110>", "rk_test_<w:24-110>"]),
  key("stripe-webhook-secret", "whsec_<w:32-64>"),
  key("square-token", ["sq0atp-<u:22>", "sq0csp-<u:43>", "EAAAE<u:55-60>"]),
  key("braintree-token", ["access_token$production$|<l:16>$<x:32>", "access_token$sandbox$|<l:16>$<x:32>"]),
  assigned("paypal-secret", ["paypal client secret", "paypal secret"], "<u:80>"),
  key("plaid-token", [`access-production-${UUID}`, `access-development-${UUID}`, `access-sandbox-${UUID}`]),
  assigned("plaid-secret", "plaid secret", "<x:30>"),
  key("adyen-key", "AQEmhmfxK<B:100-300>"),
  key("razorpay-key", ["rzp_live_<w:14>", "rzp_test_<w:14>"]),
  key("flutterwave-key", ["FLWSECK-<x:32>-X", "FLWSECK_TEST-<x:32>-X"]),
  key("gocardless-token", "live_<u:40>"),
  key("mollie-key", ["live_<w:30>", "test_<w:30>"]),
  key("lob-key", ["live_<x:35>", "test_<x:35>"]),
  key("paddle-key", ["pdl_live_apikey_<i:40-70>", "pdl_sdbx_apikey_<i:40-70>"]),
  key("duffel-token", ["duffel_live_<u:43>", "duffel_test_<u:43>"]),
  key("easypost-key", ["EZAK<w:54>", "EZTK<w:54>"]),
  key("shippo-token", ["shippo_live_<x:40>", "shippo_test_<x:40>"]),
  assigned("coinbase-secret", ["coinbase api secret", "coinbase secret"], "<B:44-88>"),
  assigned("binance-secret", ["binance api secret", "binance secret key", "binance api key"], "<w:64>"),
  assigned("kraken-secret", ["kraken api secret", "kraken private key"], "<b:86>=="),
  assigned("kucoin-secret", ["kucoin api secret", "kucoin secret key"], UUID),
  assigned("finicity-secret", ["finicity client secret", "finicity app key"], "<x:20-32>"),
  assigned("wise-token", "wise api token", UUID),
];
