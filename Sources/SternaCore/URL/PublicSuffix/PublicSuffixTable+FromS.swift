// Made by scripts/public-suffixes of the Public Suffix List, version 2026-10-22_08-36-41_UTC
// (publicsuffixlist 1.1.2.20261023 of PyPI).
// This file is subject to the terms of the Mozilla Public License, v. 2.0. If a copy of the MPL was not distributed
// with this file, You can obtain one at https://mozilla.org/MPL/2.0/.

extension PublicSuffixTable {
    /// 2037 rules, in the form that scripts/public-suffixes describes.
    static let fromS: StaticString = """
        s.bg s.brave.app* s.brave.dev* s.brave.io* s.se s3-1.amazonaws.com
        s3-accesspoint-fips.ca-central-1.amazonaws.com s3-accesspoint-fips.ca-west-1.amazonaws.com
        s3-accesspoint-fips.dualstack.ca-central-1.amazonaws.com s3-accesspoint-fips.dualstack.ca-west-1.amazonaws.com
        s3-accesspoint-fips.dualstack.us-east-1.amazonaws.com s3-accesspoint-fips.dualstack.us-east-2.amazonaws.com
        s3-accesspoint-fips.dualstack.us-gov-east-1.amazonaws.com
        s3-accesspoint-fips.dualstack.us-gov-west-1.amazonaws.com s3-accesspoint-fips.dualstack.us-west-1.amazonaws.com
        s3-accesspoint-fips.dualstack.us-west-2.amazonaws.com s3-accesspoint-fips.us-east-1.amazonaws.com
        s3-accesspoint-fips.us-east-2.amazonaws.com s3-accesspoint-fips.us-gov-east-1.amazonaws.com
        s3-accesspoint-fips.us-gov-west-1.amazonaws.com s3-accesspoint-fips.us-west-1.amazonaws.com
        s3-accesspoint-fips.us-west-2.amazonaws.com s3-accesspoint.af-south-1.amazonaws.com
        s3-accesspoint.ap-east-1.amazonaws.com s3-accesspoint.ap-northeast-1.amazonaws.com
        s3-accesspoint.ap-northeast-2.amazonaws.com s3-accesspoint.ap-northeast-3.amazonaws.com
        s3-accesspoint.ap-south-1.amazonaws.com s3-accesspoint.ap-south-2.amazonaws.com
        s3-accesspoint.ap-southeast-1.amazonaws.com s3-accesspoint.ap-southeast-2.amazonaws.com
        s3-accesspoint.ap-southeast-3.amazonaws.com s3-accesspoint.ap-southeast-4.amazonaws.com
        s3-accesspoint.ap-southeast-5.amazonaws.com s3-accesspoint.ca-central-1.amazonaws.com
        s3-accesspoint.ca-west-1.amazonaws.com s3-accesspoint.cn-north-1.amazonaws.com.cn
        s3-accesspoint.cn-northwest-1.amazonaws.com.cn s3-accesspoint.dualstack.af-south-1.amazonaws.com
        s3-accesspoint.dualstack.ap-east-1.amazonaws.com s3-accesspoint.dualstack.ap-northeast-1.amazonaws.com
        s3-accesspoint.dualstack.ap-northeast-2.amazonaws.com s3-accesspoint.dualstack.ap-northeast-3.amazonaws.com
        s3-accesspoint.dualstack.ap-south-1.amazonaws.com s3-accesspoint.dualstack.ap-south-2.amazonaws.com
        s3-accesspoint.dualstack.ap-southeast-1.amazonaws.com s3-accesspoint.dualstack.ap-southeast-2.amazonaws.com
        s3-accesspoint.dualstack.ap-southeast-3.amazonaws.com s3-accesspoint.dualstack.ap-southeast-4.amazonaws.com
        s3-accesspoint.dualstack.ap-southeast-5.amazonaws.com s3-accesspoint.dualstack.ca-central-1.amazonaws.com
        s3-accesspoint.dualstack.ca-west-1.amazonaws.com s3-accesspoint.dualstack.cn-north-1.amazonaws.com.cn
        s3-accesspoint.dualstack.cn-northwest-1.amazonaws.com.cn s3-accesspoint.dualstack.eu-central-1.amazonaws.com
        s3-accesspoint.dualstack.eu-central-2.amazonaws.com s3-accesspoint.dualstack.eu-north-1.amazonaws.com
        s3-accesspoint.dualstack.eu-south-1.amazonaws.com s3-accesspoint.dualstack.eu-south-2.amazonaws.com
        s3-accesspoint.dualstack.eu-west-1.amazonaws.com s3-accesspoint.dualstack.eu-west-2.amazonaws.com
        s3-accesspoint.dualstack.eu-west-3.amazonaws.com s3-accesspoint.dualstack.il-central-1.amazonaws.com
        s3-accesspoint.dualstack.me-central-1.amazonaws.com s3-accesspoint.dualstack.me-south-1.amazonaws.com
        s3-accesspoint.dualstack.sa-east-1.amazonaws.com s3-accesspoint.dualstack.us-east-1.amazonaws.com
        s3-accesspoint.dualstack.us-east-2.amazonaws.com s3-accesspoint.dualstack.us-gov-east-1.amazonaws.com
        s3-accesspoint.dualstack.us-gov-west-1.amazonaws.com s3-accesspoint.dualstack.us-west-1.amazonaws.com
        s3-accesspoint.dualstack.us-west-2.amazonaws.com s3-accesspoint.eu-central-1.amazonaws.com
        s3-accesspoint.eu-central-2.amazonaws.com s3-accesspoint.eu-north-1.amazonaws.com
        s3-accesspoint.eu-south-1.amazonaws.com s3-accesspoint.eu-south-2.amazonaws.com
        s3-accesspoint.eu-west-1.amazonaws.com s3-accesspoint.eu-west-2.amazonaws.com
        s3-accesspoint.eu-west-3.amazonaws.com s3-accesspoint.il-central-1.amazonaws.com
        s3-accesspoint.me-central-1.amazonaws.com s3-accesspoint.me-south-1.amazonaws.com
        s3-accesspoint.sa-east-1.amazonaws.com s3-accesspoint.us-east-1.amazonaws.com
        s3-accesspoint.us-east-2.amazonaws.com s3-accesspoint.us-gov-east-1.amazonaws.com
        s3-accesspoint.us-gov-west-1.amazonaws.com s3-accesspoint.us-west-1.amazonaws.com
        s3-accesspoint.us-west-2.amazonaws.com s3-ap-east-1.amazonaws.com s3-ap-northeast-1.amazonaws.com
        s3-ap-northeast-2.amazonaws.com s3-ap-northeast-3.amazonaws.com s3-ap-south-1.amazonaws.com
        s3-ap-southeast-1.amazonaws.com s3-ap-southeast-2.amazonaws.com s3-ca-central-1.amazonaws.com
        s3-deprecated.ap-southeast-5.amazonaws.com s3-deprecated.cn-north-1.amazonaws.com.cn
        s3-deprecated.eu-west-1.amazonaws.com s3-deprecated.us-east-1.amazonaws.com
        s3-deprecated.us-east-2.amazonaws.com s3-deprecated.us-west-2.amazonaws.com s3-eu-central-1.amazonaws.com
        s3-eu-north-1.amazonaws.com s3-eu-west-1.amazonaws.com s3-eu-west-2.amazonaws.com s3-eu-west-3.amazonaws.com
        s3-external-1.amazonaws.com s3-fips-us-gov-east-1.amazonaws.com s3-fips-us-gov-west-1.amazonaws.com
        s3-fips.ca-central-1.amazonaws.com s3-fips.ca-west-1.amazonaws.com s3-fips.dualstack.ca-central-1.amazonaws.com
        s3-fips.dualstack.ca-west-1.amazonaws.com s3-fips.dualstack.us-east-1.amazonaws.com
        s3-fips.dualstack.us-east-2.amazonaws.com s3-fips.dualstack.us-gov-east-1.amazonaws.com
        s3-fips.dualstack.us-gov-west-1.amazonaws.com s3-fips.dualstack.us-west-1.amazonaws.com
        s3-fips.dualstack.us-west-2.amazonaws.com s3-fips.us-east-1.amazonaws.com s3-fips.us-east-2.amazonaws.com
        s3-fips.us-gov-east-1.amazonaws.com s3-fips.us-gov-west-1.amazonaws.com s3-fips.us-west-1.amazonaws.com
        s3-fips.us-west-2.amazonaws.com s3-me-south-1.amazonaws.com s3-object-lambda.af-south-1.amazonaws.com
        s3-object-lambda.ap-east-1.amazonaws.com s3-object-lambda.ap-northeast-1.amazonaws.com
        s3-object-lambda.ap-northeast-2.amazonaws.com s3-object-lambda.ap-northeast-3.amazonaws.com
        s3-object-lambda.ap-south-1.amazonaws.com s3-object-lambda.ap-south-2.amazonaws.com
        s3-object-lambda.ap-southeast-1.amazonaws.com s3-object-lambda.ap-southeast-2.amazonaws.com
        s3-object-lambda.ap-southeast-3.amazonaws.com s3-object-lambda.ap-southeast-4.amazonaws.com
        s3-object-lambda.ap-southeast-5.amazonaws.com s3-object-lambda.ca-central-1.amazonaws.com
        s3-object-lambda.ca-west-1.amazonaws.com s3-object-lambda.cn-north-1.amazonaws.com.cn
        s3-object-lambda.cn-northwest-1.amazonaws.com.cn s3-object-lambda.eu-central-1.amazonaws.com
        s3-object-lambda.eu-central-2.amazonaws.com s3-object-lambda.eu-north-1.amazonaws.com
        s3-object-lambda.eu-south-1.amazonaws.com s3-object-lambda.eu-south-2.amazonaws.com
        s3-object-lambda.eu-west-1.amazonaws.com s3-object-lambda.eu-west-2.amazonaws.com
        s3-object-lambda.eu-west-3.amazonaws.com s3-object-lambda.il-central-1.amazonaws.com
        s3-object-lambda.me-central-1.amazonaws.com s3-object-lambda.me-south-1.amazonaws.com
        s3-object-lambda.sa-east-1.amazonaws.com s3-object-lambda.us-east-1.amazonaws.com
        s3-object-lambda.us-east-2.amazonaws.com s3-object-lambda.us-gov-east-1.amazonaws.com
        s3-object-lambda.us-gov-west-1.amazonaws.com s3-object-lambda.us-west-1.amazonaws.com
        s3-object-lambda.us-west-2.amazonaws.com s3-sa-east-1.amazonaws.com s3-us-east-2.amazonaws.com
        s3-us-gov-east-1.amazonaws.com s3-us-gov-west-1.amazonaws.com s3-us-west-1.amazonaws.com
        s3-us-west-2.amazonaws.com s3-website-ap-northeast-1.amazonaws.com s3-website-ap-southeast-1.amazonaws.com
        s3-website-ap-southeast-2.amazonaws.com s3-website-eu-west-1.amazonaws.com s3-website-jp.object.ncpstorage.com
        s3-website-sa-east-1.amazonaws.com s3-website-us-east-1.amazonaws.com s3-website-us-gov-west-1.amazonaws.com
        s3-website-us-west-1.amazonaws.com s3-website-us-west-2.amazonaws.com s3-website.af-south-1.amazonaws.com
        s3-website.ap-east-1.amazonaws.com s3-website.ap-northeast-1.amazonaws.com
        s3-website.ap-northeast-2.amazonaws.com s3-website.ap-northeast-3.amazonaws.com
        s3-website.ap-south-1.amazonaws.com s3-website.ap-south-2.amazonaws.com s3-website.ap-southeast-1.amazonaws.com
        s3-website.ap-southeast-2.amazonaws.com s3-website.ap-southeast-3.amazonaws.com
        s3-website.ap-southeast-4.amazonaws.com s3-website.ap-southeast-5.amazonaws.com
        s3-website.ca-central-1.amazonaws.com s3-website.ca-west-1.amazonaws.com s3-website.cn-north-1.amazonaws.com.cn
        s3-website.cn-northwest-1.amazonaws.com.cn s3-website.de.object.ncloudstorage.com
        s3-website.dualstack.af-south-1.amazonaws.com s3-website.dualstack.ap-northeast-1.amazonaws.com
        s3-website.dualstack.ap-northeast-2.amazonaws.com s3-website.dualstack.ap-northeast-3.amazonaws.com
        s3-website.dualstack.ap-south-1.amazonaws.com s3-website.dualstack.ap-south-2.amazonaws.com
        s3-website.dualstack.ap-southeast-1.amazonaws.com s3-website.dualstack.ap-southeast-2.amazonaws.com
        s3-website.dualstack.ap-southeast-3.amazonaws.com s3-website.dualstack.ap-southeast-4.amazonaws.com
        s3-website.dualstack.ap-southeast-5.amazonaws.com s3-website.dualstack.ca-central-1.amazonaws.com
        s3-website.dualstack.ca-west-1.amazonaws.com s3-website.dualstack.cn-north-1.amazonaws.com.cn
        s3-website.dualstack.eu-central-1.amazonaws.com s3-website.dualstack.eu-central-2.amazonaws.com
        s3-website.dualstack.eu-south-1.amazonaws.com s3-website.dualstack.eu-south-2.amazonaws.com
        s3-website.dualstack.eu-west-1.amazonaws.com s3-website.dualstack.eu-west-3.amazonaws.com
        s3-website.dualstack.il-central-1.amazonaws.com s3-website.dualstack.me-central-1.amazonaws.com
        s3-website.dualstack.sa-east-1.amazonaws.com s3-website.dualstack.us-east-1.amazonaws.com
        s3-website.dualstack.us-east-2.amazonaws.com s3-website.dualstack.us-gov-east-1.amazonaws.com
        s3-website.dualstack.us-gov-west-1.amazonaws.com s3-website.dualstack.us-west-1.amazonaws.com
        s3-website.dualstack.us-west-2.amazonaws.com s3-website.eu-central-1.amazonaws.com
        s3-website.eu-central-2.amazonaws.com s3-website.eu-north-1.amazonaws.com s3-website.eu-south-1.amazonaws.com
        s3-website.eu-south-2.amazonaws.com s3-website.eu-west-1.amazonaws.com s3-website.eu-west-2.amazonaws.com
        s3-website.eu-west-3.amazonaws.com s3-website.fr-par.scw.cloud s3-website.il-central-1.amazonaws.com
        s3-website.kr.object.fin-ncloudstorage.com s3-website.kr.object.gov-ncloudstorage.com
        s3-website.kr.object.ncloudstorage.com s3-website.krs.object.gov-ncloudstorage.com
        s3-website.me-central-1.amazonaws.com s3-website.me-south-1.amazonaws.com s3-website.nl-ams.scw.cloud
        s3-website.pl-waw.scw.cloud s3-website.sa-east-1.amazonaws.com s3-website.sg.object.ncloudstorage.com
        s3-website.us-east-1.amazonaws.com s3-website.us-east-2.amazonaws.com s3-website.us-gov-east-1.amazonaws.com
        s3-website.us-gov-west-1.amazonaws.com s3-website.us-west-1.amazonaws.com s3-website.us-west-2.amazonaws.com
        s3-website.us.object.ncloudstorage.com s3.af-south-1.amazonaws.com s3.amazonaws.com s3.ap-east-1.amazonaws.com
        s3.ap-northeast-1.amazonaws.com s3.ap-northeast-2.amazonaws.com s3.ap-northeast-3.amazonaws.com
        s3.ap-south-1.amazonaws.com s3.ap-south-2.amazonaws.com s3.ap-southeast-1.amazonaws.com
        s3.ap-southeast-2.amazonaws.com s3.ap-southeast-3.amazonaws.com s3.ap-southeast-4.amazonaws.com
        s3.ap-southeast-5.amazonaws.com s3.ca-central-1.amazonaws.com s3.ca-west-1.amazonaws.com
        s3.cn-north-1.amazonaws.com.cn s3.cn-northwest-1.amazonaws.com.cn s3.dualstack.af-south-1.amazonaws.com
        s3.dualstack.ap-east-1.amazonaws.com s3.dualstack.ap-northeast-1.amazonaws.com
        s3.dualstack.ap-northeast-2.amazonaws.com s3.dualstack.ap-northeast-3.amazonaws.com
        s3.dualstack.ap-south-1.amazonaws.com s3.dualstack.ap-south-2.amazonaws.com
        s3.dualstack.ap-southeast-1.amazonaws.com s3.dualstack.ap-southeast-2.amazonaws.com
        s3.dualstack.ap-southeast-3.amazonaws.com s3.dualstack.ap-southeast-4.amazonaws.com
        s3.dualstack.ap-southeast-5.amazonaws.com s3.dualstack.ca-central-1.amazonaws.com
        s3.dualstack.ca-west-1.amazonaws.com s3.dualstack.cn-north-1.amazonaws.com.cn
        s3.dualstack.cn-northwest-1.amazonaws.com.cn s3.dualstack.eu-central-1.amazonaws.com
        s3.dualstack.eu-central-2.amazonaws.com s3.dualstack.eu-north-1.amazonaws.com
        s3.dualstack.eu-south-1.amazonaws.com s3.dualstack.eu-south-2.amazonaws.com s3.dualstack.eu-west-1.amazonaws.com
        s3.dualstack.eu-west-2.amazonaws.com s3.dualstack.eu-west-3.amazonaws.com
        s3.dualstack.il-central-1.amazonaws.com s3.dualstack.me-central-1.amazonaws.com
        s3.dualstack.me-south-1.amazonaws.com s3.dualstack.sa-east-1.amazonaws.com s3.dualstack.us-east-1.amazonaws.com
        s3.dualstack.us-east-2.amazonaws.com s3.dualstack.us-gov-east-1.amazonaws.com
        s3.dualstack.us-gov-west-1.amazonaws.com s3.dualstack.us-west-1.amazonaws.com
        s3.dualstack.us-west-2.amazonaws.com s3.eu-central-1.amazonaws.com s3.eu-central-2.amazonaws.com
        s3.eu-north-1.amazonaws.com s3.eu-south-1.amazonaws.com s3.eu-south-2.amazonaws.com s3.eu-west-1.amazonaws.com
        s3.eu-west-2.amazonaws.com s3.eu-west-3.amazonaws.com s3.fr-par.scw.cloud s3.il-central-1.amazonaws.com
        s3.isk01.sakurastorage.jp s3.isk02.sakurastorage.jp s3.k2.cloud s3.me-central-1.amazonaws.com
        s3.me-south-1.amazonaws.com s3.nl-ams.scw.cloud s3.pl-waw.scw.cloud s3.ru-msk.k2.cloud s3.ru-spb.k2.cloud
        s3.sa-east-1.amazonaws.com s3.teckids.org s3.us-east-1.amazonaws.com s3.us-east-2.amazonaws.com
        s3.us-gov-east-1.amazonaws.com s3.us-gov-west-1.amazonaws.com s3.us-west-1.amazonaws.com
        s3.us-west-2.amazonaws.com sa sa-east-1.airflow.amazonaws.com* sa-east-1.cs.amazonlightsail.com*
        sa-east-1.elasticbeanstalk.com sa-east-1.rds.amazonaws.com* sa.au sa.com sa.cr sa.edu.au sa.gov.au sa.gov.pl
        sa.it sa.ngrok.io saarland sabae.fukui.jp sadist.jp sado.niigata.jp safe safety safety.aero saga.jp saga.saga.jp
        sagae.yamagata.jp sagamihara.kanagawa.jp saigawa.fukuoka.jp saijo.ehime.jp saikai.nagasaki.jp saiki.oita.jp
        saitama.jp saitama.saitama.jp saito.miyazaki.jp saka.hiroshima.jp sakado.saitama.jp sakae.chiba.jp
        sakae.nagano.jp sakahogi.gifu.jp sakai.fukui.jp sakai.ibaraki.jp sakai.osaka.jp sakaiminato.tottori.jp
        sakaki.nagano.jp sakata.yamagata.jp sakawa.kochi.jp sakegawa.yamagata.jp saku.nagano.jp sakuho.nagano.jp sakura
        sakura.chiba.jp sakura.ne.jp sakura.tochigi.jp sakura.tv sakuragawa.ibaraki.jp sakurai.nara.jp sakuratan.com
        sakuraweb.com sakyo.kyoto.jp sal.ec salangen.no salat.no sale salerno.it salon saloon.jp saltdal.no salud.bo
        salvador.br same-app.com same-preview.com samegawa.fukushima.jp samnanger.no sampa.br samsclub samsung
        samukawa.kanagawa.jp sanagochi.tokushima.jp sanda.hyogo.jp sandbox.deno.net sandcats.io sande.more-og-romsdal.no
        sande.vestfold.no sande.xn--mre-og-romsdal-qqb.no sandefjord.no sandnes.no sandnessjoen.no sandoy.no sandvik
        sandvikcoromant sango.nara.jp sanjo.niigata.jp sannan.hyogo.jp sannohe.aomori.jp sano.tochigi.jp sanofi sanok.pl
        santamaria.br santoandre.br sanuki.kagawa.jp saobernardo.br saogonca.br saotome.st sap sapporo.jp* sar.it
        sardegna.it sardinia.it sarl saroma.hokkaido.jp sarpsborg.no sarufutsu.hokkaido.jp sas sasaguri.fukuoka.jp
        sasayama.hyogo.jp sasebo.nagasaki.jp sassari.it satosho.okayama.jp satsumasendai.kagoshima.jp satte.saitama.jp
        sauda.no sauherad.no sav.case save saves-the-whales.com savona.it saxo sayama.osaka.jp sayama.saitama.jp
        sayo.hyogo.jp sb sb.ua sbi sblo.jp sbs sc sc.cn sc.gov.br sc.ke sc.kr sc.leg.br sc.ls sc.tz sc.ug sc.us
        scalebook.scw.cloud scb scbl.fr-par.scw.cloud scbl.nl-ams.scw.cloud scbl.pl-waw.scw.cloud sch.ac sch.ae sch.bd
        sch.id sch.ir sch.jo sch.lk sch.ly sch.ng sch.qa sch.sa sch.ss sch.tf sch.uk* sch.wf sch.zm schaeffler schmidt
        schokokeks.net scholarships school school.ge school.in school.nz school.za schoolbus.jp schuldock.de schule
        schulplattform.de schulserver.de schwarz sci.eg science scientist.aero scot scrapper-site.net scrapping.cc
        scrysec.com scw.site sd sd.cn sd.us sdn.gov.pl sdscloud.pl se se.eu.org se.gov.br se.leg.br se.net sea.wa.us
        search seat seattle.wa.us sebastopol.ua sec.ps secret.jp secure security securitytactics.com seek seg.ar seg.br
        seidat.net seihi.nagasaki.jp seika.kyoto.jp seiro.niigata.jp seirou.niigata.jp seiyo.ehime.jp sejny.pl
        sekd1.beebyteapp.io seki.gifu.jp sekigahara.gifu.jp sekikawa.niigata.jp sel.no selbu.no select selfip.biz
        selfip.com selfip.info selfip.net selfip.org selje.no seljord.no sellfy.store sells-for-less.com sells-for-u.com
        sells-it.net sellsyourhome.org semboku.akita.jp semine.miyagi.jp senasa.ar sendai.jp* sener sennan.osaka.jp
        senseering.net seoul.kr seprox.hooc.me sequim.wa.us sera.hiroshima.jp seranishi.hiroshima.jp servebbs.com
        servebbs.net servebbs.org servebeer.com serveblog.net servebolt.cloud servecounterstrike.com serveexchange.com
        serveftp.com serveftp.net serveftp.org servegame.com servegame.org servehalflife.com servehttp.com
        servehumour.com serveirc.com serveminecraft.net servemp3.com servep2p.com servepics.com servequake.com
        server-on.net servername.us servesarcasm.com service.gov.scot service.gov.uk service.one
        servicebus.usgovcloudapi.net servicebus.windows.net services services.aero services.clever-cloud.com*
        setagaya.tokyo.jp seto.aichi.jp setouchi.okayama.jp settsu.osaka.jp sevastopol.ua seven sew sex sex.hu sex.pl
        sexy sf.no sfr sg sg-1.paas.massivegrid.net sg.object.ncloudstorage.com sg.object.private.ncloudstorage.com
        sg.objectstorage.ncloud.com sh sh.cn shacknet.nu shakotan.hokkaido.jp shangrila shari.hokkaido.jp sharp
        sheezy.games shell shelton.wa.us shia shibata.miyagi.jp shibata.niigata.jp shibecha.hokkaido.jp
        shibetsu.hokkaido.jp shibukawa.gunma.jp shibuya.tokyo.jp shichikashuku.miyagi.jp shichinohe.aomori.jp shiga.jp
        shiiba.miyazaki.jp shijonawate.osaka.jp shika.ishikawa.jp shikabe.hokkaido.jp shikama.miyagi.jp
        shikaoi.hokkaido.jp shikatsu.aichi.jp shiki.saitama.jp shikokuchuo.ehime.jp shiksha shima.mie.jp
        shimabara.nagasaki.jp shimada.shizuoka.jp shimamaki.hokkaido.jp shimamoto.osaka.jp shimane.jp shimane.shimane.jp
        shimizu.hokkaido.jp shimizu.shizuoka.jp shimoda.shizuoka.jp shimodate.ibaraki.jp shimofusa.chiba.jp
        shimogo.fukushima.jp shimoichi.nara.jp shimoji.okinawa.jp shimokawa.hokkaido.jp shimokitayama.nara.jp
        shimonita.gunma.jp shimonoseki.yamaguchi.jp shimosuwa.nagano.jp shimotsuke.tochigi.jp shimotsuma.ibaraki.jp
        shinagawa.tokyo.jp shinanomachi.nagano.jp shingo.aomori.jp shingu.fukuoka.jp shingu.hyogo.jp shingu.wakayama.jp
        shinichi.hiroshima.jp shinjo.nara.jp shinjo.okayama.jp shinjo.yamagata.jp shinjuku.tokyo.jp
        shinkamigoto.nagasaki.jp shinonsen.hyogo.jp shinshinotsu.hokkaido.jp shinshiro.aichi.jp shinto.gunma.jp
        shintoku.hokkaido.jp shintomi.miyazaki.jp shinyoshitomi.fukuoka.jp shiogama.miyagi.jp shiojiri.nagano.jp
        shioya.tochigi.jp shiptoday.app shiptoday.build shirahama.wakayama.jp shirakawa.fukushima.jp shirakawa.gifu.jp
        shirako.chiba.jp shiranuka.hokkaido.jp shiraoi.hokkaido.jp shiraoka.saitama.jp shirataka.yamagata.jp
        shiriuchi.hokkaido.jp shiroi.chiba.jp shiroishi.miyagi.jp shiroishi.saga.jp shirosato.ibaraki.jp
        shishikui.tokushima.jp shiso.hyogo.jp shisui.chiba.jp shitara.aichi.jp shiwa.iwate.jp shizukuishi.iwate.jp
        shizuoka.jp shizuoka.shizuoka.jp shobara.hiroshima.jp shoes shonai.fukuoka.jp shonai.yamagata.jp shoo.okayama.jp
        shop shop.brendly.ba shop.brendly.hr shop.brendly.rs shop.ht shop.hu shop.pl shop.ro shop.th shoparena.pl
        shopitsite.com shopping shopselect.net shopware.shop shopware.store shouji show show.aero showa.fukushima.jp
        showa.gunma.jp showa.yamanashi.jp shunan.yamaguchi.jp si si.eu.org si.it sic.it sicilia.it sicily.it siellak.no
        siena.it sieradz.pl sigdal.no siiites.com siljan.no silk silverdale.wa.us simple-url.com simplesite.com
        simplesite.com.br simplesite.gr simplesite.pl sina sinaapp.com singles siracusa.it sirdal.no site
        site.hosting-cluster.nl site.rb-hosting.io site.tb-hosting.com site.transip.me site.webhosting.be siteleaf.net
        sj sjc.br sk sk.ca sk.eu.org skanit.no skanland.no skaun.no skedsmo.no skedsmokorset.no ski ski.no skien.no
        skierniewice.pl skierva.no skin skiptvet.no skjak.no skjervoy.no sklep.pl sko.gov.pl skoczow.pl skodje.no skr.jp
        sky skydiving.aero skype sl slask.pl slattum.no sld.do sld.pa slg.br sling slupsk.pl slz.br sm sm.ua
        small-web.org smart smartlabeling.scw.cloud smile smola.no smushcdn.com sn sn.cn sn.mynetname.net snaase.no
        snasa.no sncf snillfjord.no snoasa.no snowflake.app* so so.gov.pl so.it sobetsu.hokkaido.jp soc.dz soc.lk
        soc.srcf.net soccer sochi.su social social.br soctrang.vn sodegaura.chiba.jp soeda.fukuoka.jp softbank software
        software.aero sogndal.no sogne.no sohu soja.okayama.jp soka.saitama.jp sokndal.no sol.site sola.no solar
        solund.no solutions soma.fukushima.jp somna.no sondre-land.no sondrio.it song songdalen.no soni.nara.jp sonla.vn
        sony soo.kagoshima.jp sopot.pl sor-aurdal.no sor-fron.no sor-odal.no sor-varanger.no sorfold.no sorocaba.br
        sorreisa.no sortland.no sorum.no sos.pl sosa.chiba.jp sosnowiec.pl soundcast.me sourcecraft.site
        southafricanorth-01.azurewebsites.net southafricawest-01.azurewebsites.net southcentralus-01.azurewebsites.net
        southcentralus2-01.azurewebsites.net southeastasia-01.azurewebsites.net southeastus5-01.azurewebsites.net
        southindia-01.azurewebsites.net sowa.ibaraki.jp soy sp.gov.br sp.it sp.leg.br spa space space-to-rent.com
        spaincentral-01.azurewebsites.net spawnbase.app spb.ru spb.su spdns.de spdns.eu spdns.org spectrum.myjino.ru*
        sphinx.mythic-beasts.com spjelkavik.no sport sport.eg sport.hu spot sprites.app spryt.net spydeberg.no
        square.site square7.ch square7.de square7.net squares.net sr sr.gov.pl sr.it srht.site srl srv.br srv.us
        srvdns.de srvrless.rdpa.co* sryze.cc ss ss.it ssl.origin.cdn77-secure.org st st.no staba.jp
        stackhero-network.com stackit.gg stackit.rocks stackit.run stackit.zone stada stage.nodeart.io staging.expo.app
        stalowa-wola.pl stange.no staples star starachowice.pl stargard.pl starostwo.gov.pl stat.no statebank statefarm
        stathelle.no static-access.net static.hf.space static.observableusercontent.com statichost.page statics.cloud*
        stavanger.no stavern.no stc stcgroup steigen.no steinkjer.no stg-builder.code.com* stg.dev* stgstage.dev*
        sth.ac.at stjordal.no stjordalshalsen.no stockholm stokke.no stolos.io* stor-elvdal.no storage
        storage.supabase.co storage.yandexcloud.net stord.no stordal.no store store.bb store.cv store.dk store.nf
        store.ro store.st store.ve storebase.store storfjord.no strand.no stranda.no strapiapp.com streak-link.com
        streaklinks.com streakusercontent.com stream streamlit.app streamlitapp.com stripper.jp stryn.no student.aero
        studio studio-fips.us-gov-east-1.sagemaker.aws studio-fips.us-gov-west-1.sagemaker.aws
        studio.af-south-1.sagemaker.aws studio.ap-east-1.sagemaker.aws studio.ap-northeast-1.sagemaker.aws
        studio.ap-northeast-2.sagemaker.aws studio.ap-northeast-3.sagemaker.aws studio.ap-south-1.sagemaker.aws
        studio.ap-southeast-1.sagemaker.aws studio.ap-southeast-2.sagemaker.aws studio.ap-southeast-3.sagemaker.aws
        studio.ca-central-1.sagemaker.aws studio.cn-north-1.sagemaker.com.cn studio.cn-northwest-1.sagemaker.com.cn
        studio.eu-central-1.sagemaker.aws studio.eu-central-2.sagemaker.aws studio.eu-north-1.sagemaker.aws
        studio.eu-south-1.sagemaker.aws studio.eu-south-2.sagemaker.aws studio.eu-west-1.sagemaker.aws
        studio.eu-west-2.sagemaker.aws studio.eu-west-3.sagemaker.aws studio.il-central-1.sagemaker.aws
        studio.me-central-1.sagemaker.aws studio.me-south-1.sagemaker.aws studio.sa-east-1.sagemaker.aws
        studio.us-east-1.sagemaker.aws studio.us-east-2.sagemaker.aws studio.us-gov-east-1.sagemaker.aws
        studio.us-gov-west-1.sagemaker.aws studio.us-west-1.sagemaker.aws studio.us-west-2.sagemaker.aws study
        stuff-4-sale.org stuff-4-sale.us stufftoread.com style su su.it sub.jp subsc-pay.com subsc-pay.net sucks
        sud-sardegna.it sudsardegna.it sue.fukuoka.jp suedtirol.it suginami.tokyo.jp sugito.saitama.jp suifu.ibaraki.jp
        suita.osaka.jp sukagawa.fukushima.jp sukumo.kochi.jp sula.no suldal.no suli.hu sumida.tokyo.jp sumita.iwate.jp
        sumomo.ne.jp sumoto.hyogo.jp sumoto.kumamoto.jp sumy.ua sunagawa.hokkaido.jp sund.no sunndal.no sunnyday.jp
        suohkan.no supabase.co supabase.in supabase.net supersale.jp supplies supply support support.site surf surge.sh
        surgery surnadal.no surveys.so susaki.kochi.jp susono.shizuoka.jp suwa.nagano.jp suwalki.pl suzaka.nagano.jp
        suzu.ishikawa.jp suzuka.mie.jp suzuki sv sv.it svalbard.no svc.firenet.ch* sveio.no svelvik.no svn-repos.de
        swatch swedencentral-01.azurewebsites.net swedensouth-01.azurewebsites.net sweetpepper.org swidnica.pl
        swidnik.pl swiebodzin.pl swinoujscie.pl swiss switzerlandnorth-01.azurewebsites.net
        switzerlandwest-01.azurewebsites.net sx sx.cn sy sydney sykkylven.no syncloud.it synology.me sys.qcx.io* systems
        sytes.net sz szczecin.pl szczytno.pl szex.hu szkola.pl t.bg t.se t3.storage.dev t3.storageapi.dev ta.it taa.it
        tab tabayama.yamanashi.jp tabitorder.co.il tabuse.yamaguchi.jp tachiarai.fukuoka.jp tachikawa.tokyo.jp
        tadaoka.osaka.jp tado.mie.jp tadotsu.kagawa.jp tagajo.miyagi.jp tagami.niigata.jp tagawa.fukuoka.jp
        tahara.aichi.jp taifun-dns.de taiji.wakayama.jp taiki.hokkaido.jp taiki.mie.jp tainai.niigata.jp taipei
        taira.toyama.jp taishi.hyogo.jp taishi.osaka.jp taishin.fukushima.jp taito.tokyo.jp taiwa.miyagi.jp
        taiwannorth-01.azurewebsites.net taiwannorthwest-01.azurewebsites.net tajimi.gifu.jp tajiri.osaka.jp
        taka.hyogo.jp takagi.nagano.jp takahagi.ibaraki.jp takahama.aichi.jp takahama.fukui.jp takaharu.miyazaki.jp
        takahashi.okayama.jp takahata.yamagata.jp takaishi.osaka.jp takamatsu.kagawa.jp takamori.kumamoto.jp
        takamori.nagano.jp takanabe.miyazaki.jp takanezawa.tochigi.jp takaoka.toyama.jp takarazuka.hyogo.jp
        takasago.hyogo.jp takasaki.gunma.jp takashima.shiga.jp takasu.hokkaido.jp takata.fukuoka.jp takatori.nara.jp
        takatsuki.osaka.jp takatsuki.shiga.jp takayama.gifu.jp takayama.gunma.jp takayama.nagano.jp takazaki.miyazaki.jp
        takehara.hiroshima.jp taketa.oita.jp taketomi.okinawa.jp taki.mie.jp takikawa.hokkaido.jp takino.hyogo.jp
        takinoue.hokkaido.jp takko.aomori.jp tako.chiba.jp taku.saga.jp talk tama.tokyo.jp tamakawa.fukushima.jp
        tamaki.mie.jp tamamura.gunma.jp tamano.okayama.jp tamatsukuri.ibaraki.jp tamayu.shimane.jp tamba.hyogo.jp
        tana.no tanabe.kyoto.jp tanabe.wakayama.jp tanagura.fukushima.jp tananger.no tank.jp tanohata.iwate.jp taobao
        tara.saga.jp tarama.okinawa.jp taranto.it target targi.pl tarnobrzeg.pl tarui.gifu.jp tarumizu.kagoshima.jp
        tas.au tas.edu.au tas.gov.au tashkent.su tatamotors tatar tatebayashi.gunma.jp tateshina.nagano.jp
        tateyama.chiba.jp tateyama.toyama.jp tatsuno.hyogo.jp tatsuno.nagano.jp tattoo taveusercontent.com
        tawaramoto.nara.jp tax taxi taxi.aero taxi.br tayninh.vn tc tc.br tche.br tci tcp4.me td tdk te.it te.ua
        teaches-yoga.com team teams.replit.dev* tec.br tec.mi.us tec.ve tech tech.ec tech.orange technology
        tecnologia.bo tel tel.tr telebit.app telebit.io telebit.xyz* teleport.sh temasek temp-dns.com tempio-olbia.it
        tempioolbia.it tempurl.host tendo.yamagata.jp tenei.fukushima.jp tenkawa.nara.jp tennis tenri.nara.jp teo.br
        teramo.it termez.su terni.it ternopil.ua teshikaga.hokkaido.jp test-iserv.de test.tj tests.cx teva tf tg
        tgory.pl th thaibinh.vn thainguyen.vn thanhhoa.vn thanhphohochiminh.vn thd the.br theater theatre theshop.jp
        theworkpc.com thick.jp thingdustdata.com thruhere.net thuathienhue.vn tiaa tickets tickets.io tienda
        tiengiang.vn time.no tingvoll.no tinn.no tips tires tirol tj tj.cn tjeldsund.no tjielte.no tjmaxx tjome.no tjx
        tk tkmaxx tksat.bo tl tlon.network tm tm.cy tm.dz tm.fr tm.hu tm.km tm.mc tm.no tm.pl tm.ro tm.se tm.za tmall
        tmp.br tmp.now tn tn.it tn.oxa.cloud tn.us tnx.ge to to.gov.br to.it to.leg.br toba.mie.jp tobe.ehime.jp
        tobetsu.hokkaido.jp tobishima.aichi.jp tochigi.jp tochigi.tochigi.jp tochio.niigata.jp toda.saitama.jp today
        toei.aichi.jp toga.toyama.jp togakushi.nagano.jp togane.chiba.jp togitsu.nagasaki.jp togliatti.su togo.aichi.jp
        togura.nagano.jp tohma.hokkaido.jp tohnosho.chiba.jp toho.fukuoka.jp tokai.aichi.jp tokai.ibaraki.jp
        tokamachi.niigata.jp tokashiki.okinawa.jp toki.gifu.jp tokigawa.saitama.jp tokke.no tokoname.aichi.jp
        tokorozawa.saitama.jp tokushima.jp tokushima.tokushima.jp tokuyama.yamaguchi.jp tokyo tokyo.jp tolga.no
        tomakomai.hokkaido.jp tomari.hokkaido.jp tome.miyagi.jp tomi.nagano.jp tomigusuku.okinawa.jp tomika.gifu.jp
        tomioka.gunma.jp tomisato.chiba.jp tomiya.miyagi.jp tomobe.ibaraki.jp tonaki.okinawa.jp tonami.toyama.jp
        tondabayashi.osaka.jp tone.ibaraki.jp tonkotsu.jp tono.iwate.jp tonosho.kagawa.jp tonsberg.no toolforge.org
        tools toon.ehime.jp top topaz.ne.jp torahime.shiga.jp toray toride.ibaraki.jp torino.it torproject.net
        torsken.no torun.pl tos.it tosa.kochi.jp tosashimizu.kochi.jp toscana.it toshiba toshima.tokyo.jp tosu.saga.jp
        total tottori.jp tottori.tottori.jp tourism.bj tourism.pl tourism.tn tours towada.aomori.jp town
        townnews-staging.com toya.hokkaido.jp toyako.hokkaido.jp toyama.jp toyama.toyama.jp toyo.kochi.jp
        toyoake.aichi.jp toyohashi.aichi.jp toyokawa.aichi.jp toyonaka.osaka.jp toyone.aichi.jp toyono.osaka.jp
        toyooka.hyogo.jp toyosato.shiga.jp toyota toyota.aichi.jp toyota.yamaguchi.jp toyotomi.hokkaido.jp
        toyotsu.fukuoka.jp toyoura.hokkaido.jp toys tozawa.yamagata.jp tozsde.hu tp.it tr tr.eu.org tr.it tr.no tra.kp
        trade trader.aero trading trading.aero traeumtgerade.de trafficmanager.net trafficplex.cloud trainer.aero
        training trana.no tranby.no trani-andria-barletta.it trani-barletta-andria.it traniandriabarletta.it
        tranibarlettaandria.it tranoy.no transfer-webapp-fips.us-gov-east-1.on.aws
        transfer-webapp-fips.us-gov-west-1.on.aws transfer-webapp.af-south-1.on.aws transfer-webapp.ap-east-1.on.aws
        transfer-webapp.ap-east-2.on.aws transfer-webapp.ap-northeast-1.on.aws transfer-webapp.ap-northeast-2.on.aws
        transfer-webapp.ap-northeast-3.on.aws transfer-webapp.ap-south-1.on.aws transfer-webapp.ap-south-2.on.aws
        transfer-webapp.ap-southeast-1.on.aws transfer-webapp.ap-southeast-2.on.aws
        transfer-webapp.ap-southeast-3.on.aws transfer-webapp.ap-southeast-4.on.aws
        transfer-webapp.ap-southeast-5.on.aws transfer-webapp.ap-southeast-6.on.aws
        transfer-webapp.ap-southeast-7.on.aws transfer-webapp.ca-central-1.on.aws transfer-webapp.ca-west-1.on.aws
        transfer-webapp.cn-north-1.on.amazonwebservices.com.cn
        transfer-webapp.cn-northwest-1.on.amazonwebservices.com.cn transfer-webapp.eu-central-1.on.aws
        transfer-webapp.eu-central-2.on.aws transfer-webapp.eu-north-1.on.aws transfer-webapp.eu-south-1.on.aws
        transfer-webapp.eu-south-2.on.aws transfer-webapp.eu-west-1.on.aws transfer-webapp.eu-west-2.on.aws
        transfer-webapp.eu-west-3.on.aws transfer-webapp.eusc-de-east-1.on.amazonwebservices.eu
        transfer-webapp.il-central-1.on.aws transfer-webapp.me-central-1.on.aws transfer-webapp.me-south-1.on.aws
        transfer-webapp.mx-central-1.on.aws transfer-webapp.sa-east-1.on.aws transfer-webapp.us-east-1.on.aws
        transfer-webapp.us-east-2.on.aws transfer-webapp.us-gov-east-1.on.aws transfer-webapp.us-gov-west-1.on.aws
        transfer-webapp.us-west-1.on.aws transfer-webapp.us-west-2.on.aws translate.goog transporte.bo transurl.be*
        transurl.eu* transurl.nl* trapani.it travel travel.in travel.pl travelers travelersinsurance travinh.vn trd.br
        trentin-sud-tirol.it trentin-sudtirol.it trentin-sued-tirol.it trentin-suedtirol.it trentino-a-adige.it
        trentino-aadige.it trentino-alto-adige.it trentino-altoadige.it trentino-s-tirol.it trentino-stirol.it
        trentino-sud-tirol.it trentino-sudtirol.it trentino-sued-tirol.it trentino-suedtirol.it trentino.it
        trentinoa-adige.it trentinoaadige.it trentinoalto-adige.it trentinoaltoadige.it trentinos-tirol.it
        trentinostirol.it trentinosud-tirol.it trentinosued-tirol.it trentinosuedtirol.it trentinsud-tirol.it
        trentinsudtirol.it trentinsued-tirol.it trentinsuedtirol.it trento.it treviso.it trieste.it triton.zone*
        troandin.no trogstad.no troitsk.su tromsa.no tromso.no trondheim.no trust trv try-snowplow.com trycloudflare.com
        trysil.no ts.it ts.net tselinograd.su tsk.tr tst.site* tsu.mie.jp tsubame.niigata.jp tsubata.ishikawa.jp
        tsubetsu.hokkaido.jp tsuchiura.ibaraki.jp tsuga.tochigi.jp tsugaru.aomori.jp tsuiki.fukuoka.jp
        tsukigata.hokkaido.jp tsukiyono.gunma.jp tsukuba.ibaraki.jp tsukui.kanagawa.jp tsukumi.oita.jp tsumagoi.gunma.jp
        tsunan.niigata.jp tsuno.kochi.jp tsuno.miyazaki.jp tsuru.yamanashi.jp tsuruga.fukui.jp tsurugashima.saitama.jp
        tsurugi.ishikawa.jp tsuruoka.yamagata.jp tsuruta.aomori.jp tsushima.aichi.jp tsushima.nagasaki.jp
        tsuwano.shimane.jp tsuyama.okayama.jp tt tt.im tube tui tul.ec tula.su tuleap-partners.com tunes tunk.org
        tunnelmole.net tur.ar tur.br tur.ec turek.pl turin.it turystyka.pl tuscany.it tushu tuva.su tuxfamily.org
        tuyenquang.vn tv tv.bb tv.bd tv.bo tv.br tv.eg tv.im tv.in tv.it tv.jo tv.sd tv.tr tv.tz tvedestrand.no tvs tw
        tw.cn twmail.cc twmail.net twmail.org tx.us tychy.pl tydal.no tynset.no typedream.app typo3server.info
        tysfjord.no tysnes.no tysvar.no tz u.bg u.channelsdvr.net u.se ua uaecentral-01.azurewebsites.net
        uaenorth-01.azurewebsites.net ub.in ubank ube.yamaguchi.jp uber.space ubs uchihara.ibaraki.jp uchiko.ehime.jp
        uchinada.ishikawa.jp uchinomi.kagawa.jp ud.it uda.nara.jp udi.br udine.it udono.mie.jp ueda.nagano.jp
        ueno.gunma.jp uenohara.yamanashi.jp uenorge.no ufcfan.org ug ug.gov.pl ugim.gov.pl uh-oh.jp ui.nabu.casa uio.ec
        uji.kyoto.jp ujiie.tochigi.jp ujitawara.kyoto.jp uk uk.cc uk.com uk.eu.org uk.in uk.net uk.oxa.cloud
        uk.primetel.cloud uk.reclaim.cloud uki.kumamoto.jp ukiha.fukuoka.jp uksouth-01.azurewebsites.net
        ukwest-01.azurewebsites.net ullensaker.no ullensvang.no ulsan.kr ulstein.no ulvik.no um.gov.pl umaji.kochi.jp
        umb.it umbria.it umi.fukuoka.jp umig.gov.pl umso.co unazuki.toyama.jp under.jp undo.jp uni5.net unicloud.pl
        unicom union.aero unison-services.cloud univ.bj univ.sn university unjarga.no unnan.shimane.jp uno
        unusualperson.com unzen.nagasaki.jp uol uonuma.niigata.jp uozu.toyama.jp up.in up.railway.app upow.gov.pl
        upper.jp uppo.gov.pl ups upsun.app* upsunapp.com urakawa.hokkaido.jp urasoe.okinawa.jp urausu.hokkaido.jp
        urawa.saitama.jp urayasu.chiba.jp urbino-pesaro.it urbinopesaro.it ureshino.mie.jp uri.arpa url.tw urn.arpa
        urown.cloud uruma.okinawa.jp uryu.hokkaido.jp us us-1.evennode.com us-2.evennode.com us-3.evennode.com
        us-4.evennode.com us-central-1.r.cloud.int.apple* us-central-2.r.cloud.int.apple*
        us-east-1.airflow.amazonaws.com* us-east-1.amazonaws.com us-east-1.convex.cloud us-east-1.convex.site
        us-east-1.cs.amazonlightsail.com* us-east-1.elasticbeanstalk.com us-east-1.r.cloud.int.apple*
        us-east-1.rds.amazonaws.com* us-east-2.airflow.amazonaws.com* us-east-2.cs.amazonlightsail.com*
        us-east-2.elasticbeanstalk.com us-east-2.r.cloud.int.apple* us-east-2.rds.amazonaws.com*
        us-gov-east-1.elasticbeanstalk.com us-gov-east-1.rds.amazonaws.com* us-gov-west-1.elasticbeanstalk.com
        us-gov-west-1.rds.amazonaws.com* us-northeast-1.rds.amazonaws.com* us-west-1.airflow.amazonaws.com*
        us-west-1.elasticbeanstalk.com us-west-1.r.cloud.int.apple* us-west-1.rds.amazonaws.com*
        us-west-2.airflow.amazonaws.com* us-west-2.cs.amazonlightsail.com* us-west-2.elasticbeanstalk.com
        us-west-2.r.cloud.int.apple* us-west-2.rds.amazonaws.com* us-west-3.r.cloud.int.apple* us.cc us.ci us.com
        us.eu.org us.gov.pl us.in us.kg us.ngrok.io us.object.ncloudstorage.com us.org us.platform.sh us.reclaim.cloud
        us.ug us1-plenit.com usa.oita.jp user.aseinet.ne.jp user.fm* user.localcert.dev* user.party.eus user.srcf.net
        user.webaccel.jp usercontent.goog* usercontent.jp usgovcloudapp.net usgovtrafficmanager.net ushiku.ibaraki.jp
        usr.cloud.muni.cz ustka.pl usui.fukuoka.jp usuki.oita.jp ut.us utashinai.hokkaido.jp utazas.hu utazu.kagawa.jp
        uto.kumamoto.jp utsira.no utsunomiya.tochigi.jp utwente.io uw.gov.pl uwajima.ehime.jp uwu.ai uy uz uz.ua
        uzhgorod.ua uzhhorod.ua uzs.gov.pl v-info.info v.bg v.ua v0.build va va.it va.no va.us vaapste.no vacations
        vadso.no vaga.no vagan.no vagsoy.no vaksdal.no val-d-aosta.it val-daosta.it val.run vald-aosta.it
        valer.hedmark.no valer.ostfold.no valle-aosta.it valle-d-aosta.it valle-daosta.it valle.no valleaosta.it
        valled-aosta.it valledaosta.it vallee-aoste.it vallee-d-aoste.it valleeaoste.it valleedaoste.it vana vang.no
        vanguard vanylven.no vao.it vapor.cloud vaporcloud.io vardo.no varese.it varggat.no varoy.no vb.it vc vc.it
        vda.it ve ve.it vefsn.no vega.no vegarshei.no vegas velvet.jp ven.it veneto.it venezia.it venice.it vennesla.no
        ventures verbania.it verbano-cusio-ossola.it vercel.app vercel.dev vercel.run vercelli.it verdal.no verisign
        verona.it verran.no verse.jp versicherung versus.jp vestby.no vestnes.no vestre-slidre.no vestre-toten.no
        vestvagoy.no vet vet.br vet.ec veterinaire.fr veterinaire.km vevelstad.no vf.no
        vfs.cloud9.af-south-1.amazonaws.com vfs.cloud9.ap-east-1.amazonaws.com vfs.cloud9.ap-northeast-1.amazonaws.com
        vfs.cloud9.ap-northeast-2.amazonaws.com vfs.cloud9.ap-northeast-3.amazonaws.com
        vfs.cloud9.ap-south-1.amazonaws.com vfs.cloud9.ap-southeast-1.amazonaws.com
        vfs.cloud9.ap-southeast-2.amazonaws.com vfs.cloud9.ca-central-1.amazonaws.com
        vfs.cloud9.eu-central-1.amazonaws.com vfs.cloud9.eu-north-1.amazonaws.com vfs.cloud9.eu-south-1.amazonaws.com
        vfs.cloud9.eu-west-1.amazonaws.com vfs.cloud9.eu-west-2.amazonaws.com vfs.cloud9.eu-west-3.amazonaws.com
        vfs.cloud9.il-central-1.amazonaws.com vfs.cloud9.me-south-1.amazonaws.com vfs.cloud9.sa-east-1.amazonaws.com
        vfs.cloud9.us-east-1.amazonaws.com vfs.cloud9.us-east-2.amazonaws.com vfs.cloud9.us-west-1.amazonaws.com
        vfs.cloud9.us-west-2.amazonaws.com vg vgs.no vi vi.it vi.us viajes vibehost.space vibo-valentia.it
        vibovalentia.it vic.au vic.edu.au vic.gov.au vicenza.it vicp.fun video video.hu vig vik.no viking vikna.no
        villas vin vindafjord.no vinhlong.vn vinhphuc.vn vinnica.ua vinnytsia.ua vip vip.jelastic.cloud vipsinaapp.com
        virgin virtual-user.de virtualserver.io virtualuser.de visa vision vistablog.ir viterbo.it viva vivenushop.com
        vivenushop.dev vivian.jp vivo vix.br vki.kr vlaanderen vladikavkaz.ru vladikavkaz.su vladimir.ru vladimir.su
        vlog.br vn vn.ua voagat.no vodka volda.no vologda.su volvo volyn.ua voorloper.cloud voss.no vossevangen.no vote
        voting voto voyage vp4.me vpndns.net vpnplus.to vps-host.net vps.hrsn.net vps.mcdir.ru vps.myjino.ru* vr.it
        vs.it vs.mythic-beasts.com vt.it vt.us vu vultrobjects.com* vusercontent.net vv.it
        """
}
