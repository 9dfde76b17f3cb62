/** Short words that stay guessable whatever digits and signs surround them: `admin123`, `!secret!`. */
export const COMMON_BEGINNINGS: readonly string[] =
  `abc abcd abcde access admin api apikey azerty bar baz changeme charlie dragon example fake foo foobar football guest hello
  hunter iloveyou key letmein login master monkey mustang my mysecret ninja none null pass passw passwd password placeholder
  postgres princess qazwsx qwer qwert qwerty root sample secret shadow sunshine super supersecret temp test testing todo token
  trustno undefined user username welcome xxx xyz your yours zxcvbn`.split(/\s+/);

/** Common passwords and placeholders of at least 8 characters that are no plain words; those are refused by their form. */
export const COMMON_VALUES: readonly string[] =
  `1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qazxsw2 a1b2c3d4 aa123456 abc12345 abcd1234 abcdef123456 admin@123 admin_password
  administrator apache-2.0 api-key api_key apikey123 application/json auth_token bearer_token change-it change-me change_me
  change-this changeme123 client_secret client-secret content-type correct-horse-battery-staple correcthorsebatterystaple
  database_url db_password default-secret dev-secret docker.io example-key example.com foo_bar_baz github.com hunter2hunter2
  insert-key-here iloveyou1 index.html index.js index.ts keyboard-cat letmein1 localhost:3000 localhost:4200
  localhost:5432 localhost:8000 localhost:8080 main.ts minioadmin my-api-key my-password my-secret my-secret-key my-token
  my_password my_secret my_secret_key mypassword123 node_modules not-a-secret not-set p4ssw0rd p@ssw0rd p@ssword pa$$w0rd
  package.json pass1234 passw0rd password password1 password12 password123 password@123 passwordpassword postgres_password
  q1w2e3r4 qazwsxedc qwe123qwe qwer1234 qwerty123 qwerty1234 qwertyuiop readme.md replace-me replace_me root1234 s3cr3tkey
  secret-key secret-token secret_key secret123 secret_token secretsecret src/index.ts super-secret super-secret-key
  super_secret super_secret_key supersecretkey supersecretpassword sup3rs3cr3t test-key test-secret test-token test1234
  test_key test_secret test_token text/html text/plain to-be-changed utf-8 us-east-1 us-west-2 eu-west-1 eu-central-1
  welcome123 x-api-key your-api-key your-api-key-here your-password your-secret your-secret-here your-secret-key
  your-token-here your_api_key your_api_key_here your_password your_secret your_secret_here your_secret_key yourpasswordhere
  yoursecretkeyhere zaq12wsx zaq1zaq1`
    .split(/\s+/)
    .concat(["keyboard cat", "hello world", "lorem ipsum", "the quick brown fox"]);
